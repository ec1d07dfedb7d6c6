/**
 * What is done with tasks, step by step, over the ports: create and cancel ({@link
 * dev.carillon.flow.TaskLifecycle}), one firing from its notice to the next one parked ({@link
 * dev.carillon.flow.Firing}), and putting right what went wrong ({@link dev.carillon.flow.Sweep}).
 * No threads and no timers of its own.
 */
package dev.carillon.flow;
