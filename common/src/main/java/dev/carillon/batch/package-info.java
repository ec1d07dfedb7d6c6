/** Round trips that several threads share. */
package dev.carillon.batch;
