package dev.carillon.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Firing <i>n</i> is due at start + <i>n</i> × interval of real elapsed time: computed, never
 * chained, so that nothing drifts. Milliseconds up to the year 9999 are far from overflowing.
 */
final class ElapsedInterval implements Occurrences {

  private final long start;
  private final long every;

  ElapsedInterval(Instant start, Duration every) {
    this.start = start.toEpochMilli();
    this.every = every.toMillis();
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return Optional.of(Instant.ofEpochMilli(start + firingsUpTo(after) * every));
  }

  @Override
  public OptionalLong count(Instant after, Instant until) {
    return OptionalLong.of(Math.max(0, firingsUpTo(until) - firingsUpTo(after)));
  }

  @Override
  public String reading() {
    return English.capitalize(English.every(Duration.ofMillis(every)));
  }

  private long firingsUpTo(Instant instant) {
    long elapsed = instant.toEpochMilli() - start;
    return elapsed < 0 ? 0 : elapsed / every + 1;
  }
}
