package dev.carillon.schedule;

import java.time.Instant;
import java.util.Optional;

/**
 * What a schedule says of one instant, {@link Schedule#maxRuns()} not applied. Pure.
 *
 * @param isDue whether it fires then
 * @param reason why it does not, in words, such as {@code excluded (2027-02-01)}; empty when it
 *     does, and when the instant is simply none of its
 * @param before the last instant before at which it fires
 * @param after the first instant after at which it fires
 */
public record DueCheck(
    boolean isDue, Optional<String> reason, Optional<Instant> before, Optional<Instant> after) {

  /**
   * Asks a schedule about an instant.
   *
   * @param at whole milliseconds, with a year from 0001 to 9999
   */
  public static DueCheck of(Schedule schedule, Instant at) {
    boolean isDue = schedule.next(at.minusMillis(1)).filter(at::equals).isPresent();
    return new DueCheck(
        isDue,
        isDue ? Optional.empty() : reason((DefinedSchedule) schedule, at),
        schedule.previous(at),
        schedule.next(at));
  }

  private static Optional<String> reason(DefinedSchedule schedule, Instant at) {
    Window window = schedule.window();
    if (at.isBefore(window.first())) {
      return Optional.of("before the start (" + window.start().orElseThrow().text() + ")");
    }
    if (at.isAfter(window.last())) {
      return Optional.of("after the end (" + window.end().orElseThrow().text() + ")");
    }
    Occurrences occurrences = schedule.occurrences();
    if (occursAt(occurrences, at)) {
      return window.exclusions().covering(at).map(Exclusions.Exclusion::reason);
    }
    Optional<Occurrences.Ending> cutOff =
        occurrences.ending().filter(ending -> occursAt(ending.unended(), at));
    if (cutOff.isPresent()) {
      return cutOff.map(Occurrences.Ending::reason);
    }
    return occurrences.missing(at, at, Preview.MOST).stream()
        .filter(missing -> missing.at().equals(at))
        .map(missing -> missing.local() + " is " + missing.reason())
        .findFirst();
  }

  private static boolean occursAt(Occurrences occurrences, Instant at) {
    return occurrences.next(at.minusMillis(1)).filter(at::equals).isPresent();
  }
}
