package dev.carillon.bench.subject;

import java.time.Instant;

/**
 * No-op jobs that belong to one measurement.
 *
 * @param batch what they are called in the log; unlike that of any other measurement of a subject
 * @param firstDue in whole milliseconds, so that rounding makes no start look early
 * @param spacingNanos from one due time to the next, each rounded down to milliseconds
 */
public record Jobs(String batch, int count, Instant firstDue, long spacingNanos) {

  /** When a job is due. */
  public Instant dueAt(int index) {
    return firstDue.plusMillis(index * spacingNanos / 1_000_000);
  }

  public Instant lastDue() {
    return dueAt(count - 1);
  }
}
