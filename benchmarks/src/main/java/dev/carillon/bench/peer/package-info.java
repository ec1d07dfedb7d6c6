/** Processes with other schedulers in them, which do the same as Carillon is asked to do. */
package dev.carillon.bench.peer;
