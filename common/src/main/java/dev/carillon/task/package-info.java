/** What a task is, when it fires, what comes next. JDK only: no clock, no I/O, no logging. */
package dev.carillon.task;
