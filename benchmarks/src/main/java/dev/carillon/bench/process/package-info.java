/** Servers and other processes, started for as long as something is measured. */
package dev.carillon.bench.process;
