package dev.carillon.task;

/** Why there is a sub-task. */
public enum Origin {
  /** The task's schedule wants it. */
  SCHEDULE,
  /** Somebody wanted a run at once. */
  TRIGGER,
  /** Somebody wanted the schedule's instants of a time that has passed. */
  BACKFILL
}
