/** The ports "wake me at" and "it is due", and the notice that goes from one to the other. */
package dev.carillon.queue;
