package dev.carillon.task;

/** What goes first when not everything that is due can be run at once; the most urgent first. */
public enum Priority {
  HIGH,
  NORMAL,
  LOW
}
