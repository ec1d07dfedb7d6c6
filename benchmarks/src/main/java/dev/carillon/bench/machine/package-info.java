/** What the machine is, and what processes take of it. */
package dev.carillon.bench.machine;
