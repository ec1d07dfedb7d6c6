package dev.carillon.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Occurrences that end by themselves, with a last instant or after so many. */
final class EndingOccurrences implements Occurrences {

  private final Occurrences occurrences;

  private final String ending;
  private final String endReason;
  private final Supplier<Instant> findLast;

  /** Null until it is first asked for: to find it may take counting. */
  private volatile Instant last;

  private EndingOccurrences(
      Occurrences occurrences, String ending, String endReason, Supplier<Instant> findLast) {
    this.occurrences = occurrences;
    this.ending = ending;
    this.endReason = endReason;
    this.findLast = findLast;
  }

  static Occurrences until(Instant last, Occurrences occurrences) {
    return new EndingOccurrences(occurrences, ", until " + last, "after UNTIL", () -> last);
  }

  /** The first so many from the start on, whatever is excluded of them later. */
  static Occurrences first(int count, Instant start, Occurrences occurrences) {
    return new EndingOccurrences(
        occurrences,
        ", " + English.count(count, "time"),
        "over COUNT",
        () -> nth(count, start, occurrences));
  }

  private static Instant nth(int n, Instant start, Occurrences occurrences) {
    Instant instant = start.minusMillis(1);
    Optional<Instant> next = occurrences.next(instant);
    for (int i = 0; i < n && next.isPresent(); i++) {
      instant = next.get();
      next = occurrences.next(instant);
    }
    return instant;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return occurrences.next(after).filter(instant -> !instant.isAfter(last()));
  }

  private Instant last() {
    Instant known = last;
    if (known == null) {
      known = findLast.get();
      last = known;
    }
    return known;
  }

  @Override
  public OptionalLong count(Instant after, Instant until) {
    return occurrences.count(after, until.isBefore(last()) ? until : last());
  }

  @Override
  public Optional<Ending> ending() {
    return Optional.of(new Ending(last(), occurrences, endReason));
  }

  @Override
  public String reading() {
    return occurrences.reading() + ending;
  }

  @Override
  public List<String> remarks(Instant from) {
    return occurrences.remarks(from);
  }

  @Override
  public List<Preview.Missing> missing(Instant from, Instant until, int limit) {
    Instant end = until.isAfter(last()) ? last() : until;
    return from.isAfter(end) ? List.of() : occurrences.missing(from, end, limit);
  }

  @Override
  public boolean isFinite() {
    return true;
  }
}
