/**
 * Why something did or did not happen at an instant: decided from a task, its sub-tasks and its
 * schedule. Pure: no clock, no I/O, no logging; the present is an argument.
 */
package dev.carillon.explain;
