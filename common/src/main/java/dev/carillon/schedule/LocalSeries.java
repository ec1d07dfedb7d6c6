package dev.carillon.schedule;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Ascending times on the wall clock, without a thought of time zones. {@link ZonedOccurrences}
 * makes instants of them. Immutable.
 */
interface LocalSeries {

  /** The first time that is not before the given one; empty when there is none up to year 9999. */
  Optional<LocalDateTime> ceiling(LocalDateTime from);

  /**
   * How many times lie from {@code from}, included, to {@code end}, excluded; empty when that
   * cannot be computed without going through them.
   */
  default OptionalLong count(LocalDateTime from, LocalDateTime end) {
    return OptionalLong.empty();
  }

  /** In plain English, to begin a sentence. */
  String reading();

  /** What becomes of days that some months do not have, as whole sentences. */
  List<String> remarks();

  /**
   * What one might expect from {@code from} to {@code until}, both included, but the calendar does
   * not have, such as the 31st of a short month: in ascending order, at most {@code limit}.
   */
  List<Absence> absences(LocalDateTime from, LocalDateTime until, int limit);

  /**
   * A time that the calendar does not have.
   *
   * @param insteadOf the nearest time that it has
   * @param reason why there is none, in words
   */
  record Absence(LocalDateTime insteadOf, String reason) {}
}
