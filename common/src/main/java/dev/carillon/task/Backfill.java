package dev.carillon.task;

import dev.carillon.schedule.Schedule;
import java.time.Instant;
import java.util.Optional;

/**
 * A past range of time whose instants are to be run, one after the other.
 *
 * @param from the first instant, included
 * @param to the last instant, included
 * @param done instants up to this one, included, have become sub-tasks
 */
public record Backfill(Instant from, Instant to, Instant done) {

  public Backfill {
    if (to.isBefore(from) || done.isAfter(to)) {
      throw new IllegalArgumentException("a backfill goes on from " + done + " to " + to);
    }
  }

  /** The range from its beginning. */
  public static Backfill of(Instant from, Instant to) {
    return new Backfill(from, to, from.minusMillis(1));
  }

  /** How many instants a task has in what is left of the range, counted up to a limit. */
  public long count(TaskDefinition definition, long limit) {
    Schedule schedule = definition.schedule();
    long count = 0;
    Optional<Instant> next = nextIn(schedule);
    while (next.isPresent() && !next.get().isAfter(to) && count < limit) {
      count++;
      next = schedule.next(next.get());
    }
    return count;
  }

  /** The next instant that is to become a sub-task; empty when the range is done. */
  Optional<Instant> nextIn(Schedule schedule) {
    return schedule.next(done).filter(due -> !due.isAfter(to));
  }

  Backfill doneUntil(Instant instant) {
    return new Backfill(from, to, instant);
  }
}
