/** Measures Carillon beside what one would pick instead, and beside what its servers can do. */
package dev.carillon.bench;
