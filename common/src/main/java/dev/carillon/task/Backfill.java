package dev.carillon.task;

import java.time.Instant;

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

  Backfill doneUntil(Instant instant) {
    return new Backfill(from, to, instant);
  }
}
