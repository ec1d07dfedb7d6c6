package dev.carillon.task;

import dev.carillon.schedule.Schedule;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A past range of time whose instants are to be run, one after the other. They are those of the
 * schedule that the task had when the range was wanted.
 *
 * @param from the first instant, included
 * @param to the last instant, included
 * @param done instants up to this one, included, have become sub-tasks
 * @param schedule whose instants they are, if the task has another one by now
 * @param request who wanted it, if they may repeat the request; its sub-tasks have it as well
 */
public record Backfill(
    Instant from,
    Instant to,
    Instant done,
    Optional<Schedule> schedule,
    Optional<KeyedRequest> request) {

  public Backfill {
    Objects.requireNonNull(schedule, "schedule");
    Objects.requireNonNull(request, "request");
    if (to.isBefore(from) || done.isAfter(to)) {
      throw new IllegalArgumentException("a backfill goes on from " + done + " to " + to);
    }
  }

  /** The range from its beginning. */
  public static Backfill of(Instant from, Instant to) {
    return of(from, to, Optional.empty());
  }

  /** The range from its beginning, wanted by a request that may be repeated. */
  public static Backfill of(Instant from, Instant to, Optional<KeyedRequest> request) {
    return new Backfill(from, to, from.minusMillis(1), Optional.empty(), request);
  }

  /** How many instants the whole range has in a task, counted up to a limit. */
  public long count(TaskDefinition definition, long limit) {
    Backfill rest = doneUntil(from.minusMillis(1));
    long count = 0;
    Optional<Instant> next = rest.nextIn(definition.schedule());
    while (next.isPresent() && count < limit) {
      count++;
      rest = rest.doneUntil(next.get());
      next = rest.nextIn(definition.schedule());
    }
    return count;
  }

  /** The first instant of a task all of whose schedule comes after the range. */
  public Optional<Instant> startAfter(TaskDefinition definition) {
    Schedule asWanted = definition.schedule();
    boolean hasEarlier = asWanted.previous(to.plusMillis(1)).isPresent();
    return hasEarlier ? Optional.empty() : asWanted.next(to);
  }

  /**
   * The next instant that is to become a sub-task; empty when the range is done.
   *
   * @param current the task's schedule
   */
  Optional<Instant> nextIn(Schedule current) {
    return schedule.orElse(current).next(done).filter(due -> !due.isAfter(to));
  }

  Backfill doneUntil(Instant instant) {
    return new Backfill(from, to, instant, schedule, request);
  }

  /** The task gets another schedule, which does not concern what has been accepted. */
  public Backfill keeping(Schedule former) {
    return new Backfill(from, to, done, schedule.or(() -> Optional.of(former)), request);
  }
}
