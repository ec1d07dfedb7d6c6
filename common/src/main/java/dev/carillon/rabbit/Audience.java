package dev.carillon.rabbit;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Which events nobody listens to, as far as the broker has told lately by returning one of their
 * kind. Publishing those would be most of what a broker has to do for fast jobs, and for nothing.
 * Somebody may begin to listen at any time, so one is tried every now and then. Thread-safe.
 */
final class Audience {

  /** How long whoever begins to listen may have to wait for the first event. */
  static final Duration LONGEST_ABSENCE = Duration.ofSeconds(1);

  private final LongSupplier nanos;
  private final Map<String, Long> absentSince = new ConcurrentHashMap<>();

  /**
   * @param nanos elapsed time, as {@link System#nanoTime} has it
   */
  Audience(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** An event was returned, since no queue is bound for its kind. */
  void isAbsent(String type) {
    absentSince.put(type, nanos.getAsLong());
  }

  /** Whether somebody may listen to events of that kind. */
  boolean mayListenTo(String type) {
    Long since = absentSince.get(type);
    return since == null || nanos.getAsLong() - since >= LONGEST_ABSENCE.toNanos();
  }
}
