package dev.carillon.schedule;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The instants of one kind of schedule in ascending order, before window and exclusions are
 * applied. Immutable.
 */
interface Occurrences {

  /** How many instants are counted one by one before counting is given up. */
  long COUNTABLE = 100_000;

  /** The first instant strictly after the given one; empty when there is none. */
  Optional<Instant> next(Instant after);

  /** Whether the kind by itself comes to an end, without an end time. */
  default boolean isFinite() {
    return false;
  }

  /**
   * How many instants are later than {@code after} and not later than {@code until}; empty when
   * they are too many to count.
   */
  default OptionalLong count(Instant after, Instant until) {
    long count = 0;
    Optional<Instant> instant = next(after);
    while (instant.isPresent() && !instant.get().isAfter(until)) {
      if (++count > COUNTABLE) {
        return OptionalLong.empty();
      }
      instant = next(instant.get());
    }
    return OptionalLong.of(count);
  }
}
