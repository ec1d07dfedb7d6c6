/**
 * Task definitions as users write them and as they are stored: reading with every problem told at
 * once, and writing. Pure.
 */
package dev.carillon.definition;
