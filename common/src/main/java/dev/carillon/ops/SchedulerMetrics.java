package dev.carillon.ops;

import java.time.Duration;

/** What is counted and timed, as named events. Implementations are thread-safe and never throw. */
public interface SchedulerMetrics {

  /** Counts nothing. */
  SchedulerMetrics NONE = new SchedulerMetrics() {};

  /** A task was created. */
  default void taskCreated() {}

  /** A task was called off. */
  default void taskCanceled() {}

  /** An attempt started, so much after the time it was meant to. */
  default void attemptStarted(Duration lateness) {}

  /**
   * An attempt ended.
   *
   * @param outcome {@code succeeded}, {@code failed} or {@code handed-back}
   */
  default void attemptEnded(String outcome, Duration took) {}

  /**
   * A notice did not lead to an attempt.
   *
   * @param why {@code held}, {@code passed}, {@code gone}, {@code too-early} or {@code missed}
   */
  default void noticeDropped(String why) {}

  /** An attempt came to its end after its claim had gone to somebody else. */
  default void claimLost() {}

  /** A notice could not be parked; a sweep will do it. */
  default void notParked() {}

  /**
   * A sweep put a task right.
   *
   * @param why {@code arm}, {@code lost-notice} or {@code lost-worker}
   */
  default void swept(String why) {}

  /** Archived sub-tasks were removed at the end of their retention. */
  default void purged(int count) {}

  /** A message that is not a notice, or word of a sub-task that was given up, was put aside. */
  default void messageParked() {}

  /**
   * Messages of publishers were taken in.
   *
   * @param how {@code stored}, {@code passed-through}, {@code cancelling} or {@code refused}
   */
  default void messagesTakenIn(String how, int count) {}

  /** An event was dropped, since the broker was away or did not take it fast enough. */
  default void eventDropped() {}

  /**
   * An HTTP request was answered.
   *
   * @param route the pattern that the path fits, never the path itself
   */
  default void requestAnswered(String method, String route, int status, Duration took) {}
}
