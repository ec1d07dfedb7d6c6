/** Starts, and the figures that are made of them. */
package dev.carillon.bench.measure;
