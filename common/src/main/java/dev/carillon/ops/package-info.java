/**
 * What every process needs to be run: settings from the environment, metrics, health, an orderly
 * end, a clock that agrees with the store's. Knows nothing of tasks and queues.
 */
package dev.carillon.ops;
