package dev.carillon.task;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The sub-tasks of a task that wait for their turn: the one at the cursor, those of the chain that
 * have begun before it and wait for another attempt, and the extras.
 *
 * @param running how many sub-tasks run now
 */
record Candidates(
    TaskStatus status,
    Overlap overlap,
    int running,
    long cursor,
    List<SubTask> window,
    List<SubTask> extras) {

  /** How many sub-tasks of a task may be under way at a time, if they may overlap. */
  static final int MOST_AT_ONCE = 100;

  /** Of those for the same time the schedule's come first, then extra runs as they came to be. */
  private static final Comparator<SubTask> BY_TIME =
      Comparator.comparing(SubTask::runAt)
          .thenComparing(subTask -> subTask.index() < 0)
          .thenComparing(subTask -> Math.abs(subTask.index()));

  /** The one that runs next; empty when none may. */
  Optional<SubTask> next() {
    if (running > 0 && (overlap != Overlap.ALLOW || running >= MOST_AT_ONCE)) {
      return Optional.empty();
    }
    boolean isRoomForMore = running == 0 || underWay() < MOST_AT_ONCE;
    return waiting().filter(next -> isRoomForMore || next.attempt() > 0).min(BY_TIME);
  }

  private Stream<SubTask> waiting() {
    return switch (status) {
      case ACTIVE ->
          Stream.concat(window.stream().takeWhile(s -> s.index() <= cursor), extras.stream())
              .filter(s -> s.status().isWaiting());
      case PAUSED ->
          extras.stream().filter(s -> s.status().isWaiting() && s.origin() == Origin.TRIGGER);
      case FINISHED, CANCELED -> Stream.empty();
    };
  }

  /** How many have begun and not come to their end. */
  private long underWay() {
    return Stream.concat(window.stream(), extras.stream())
        .filter(s -> s.attempt() > 0 && !s.status().isFinished())
        .count();
  }
}
