package dev.carillon.task;

/** What a sub-task is doing. */
public enum SubTaskStatus {
  /** Generated; waits in the store until it is near enough to be parked. */
  SCHEDULED,
  /** Its notice waits in its pending queue, or is on the way to a worker. */
  PENDING,
  /** A worker has claimed it. */
  RUNNING,
  /** Ran and did what it should. */
  SUCCEEDED,
  /** All its attempts failed. */
  FAILED,
  /** Did not run, for the reason given. */
  SKIPPED,
  /** Called off before it ran. */
  CANCELED;

  /** Whether it has come to its end. */
  public boolean isFinished() {
    return this == SUCCEEDED || this == FAILED || this == SKIPPED || this == CANCELED;
  }

  /** Whether it waits for its turn. */
  public boolean isWaiting() {
    return this == SCHEDULED || this == PENDING;
  }
}
