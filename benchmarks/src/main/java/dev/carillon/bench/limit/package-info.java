/** Bare loops that show what the broker can do when there is nothing else to do. */
package dev.carillon.bench.limit;
