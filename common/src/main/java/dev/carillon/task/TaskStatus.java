package dev.carillon.task;

/** Where a task is in its life. */
public enum TaskStatus {
  /** Its sub-tasks fire when they are due. */
  ACTIVE,
  /** Nothing fires until it is resumed. */
  PAUSED,
  /** Its last sub-task has ended. Final. */
  FINISHED,
  /** Somebody called it off. Final. */
  CANCELED;

  /** Whether nothing can change it any more. */
  public boolean isFinal() {
    return this == FINISHED || this == CANCELED;
  }
}
