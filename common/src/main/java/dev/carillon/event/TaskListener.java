package dev.carillon.event;

/** Hears of what happens to tasks. Thread-safe; returns at once and never throws. */
public interface TaskListener {

  /** Something has happened and is stored. */
  void happened(TaskEvent event);
}
