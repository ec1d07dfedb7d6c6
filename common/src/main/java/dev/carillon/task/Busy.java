package dev.carillon.task;

import java.time.Instant;

/**
 * A time in which a run was on, of a task whose sub-tasks are skipped when they fall due meanwhile.
 *
 * @param until not included
 */
public record Busy(Instant from, Instant until) {

  public Busy {
    if (until.isBefore(from)) {
      throw new IllegalArgumentException(until + " is before " + from);
    }
  }

  boolean covers(Instant instant) {
    return !instant.isBefore(from) && instant.isBefore(until);
  }

  Busy and(Busy other) {
    return new Busy(
        from.isBefore(other.from) ? from : other.from,
        until.isAfter(other.until) ? until : other.until);
  }
}
