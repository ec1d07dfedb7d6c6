/** The queues in one JVM, for the process that needs no broker. */
package dev.carillon.inprocess;
