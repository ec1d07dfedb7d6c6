package dev.carillon.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

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

  /** What cuts the kind off by itself, if anything does. */
  default Optional<Ending> ending() {
    return Optional.empty();
  }

  /**
   * An end that a kind has by itself.
   *
   * @param cut makes of an instant the last one that belongs, if that is earlier
   * @param unended what there would be without the end
   * @param reason why what comes later does not occur, in words
   */
  record Ending(UnaryOperator<Instant> cut, Occurrences unended, String reason) {}

  /** In plain English, to begin a sentence. */
  String reading();

  /**
   * What is to be said further: whole sentences.
   *
   * @param from what is before does not matter any more
   */
  default List<String> remarks(Instant from) {
    return List.of();
  }

  /**
   * Instants from {@code from} to {@code until}, both included, that one might expect but that the
   * clocks or the calendar do not have, or have twice; at most about {@code limit}, not necessarily
   * in order. There may be some among them that do occur for another reason.
   */
  default List<Preview.Missing> missing(Instant from, Instant until, int limit) {
    return List.of();
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
