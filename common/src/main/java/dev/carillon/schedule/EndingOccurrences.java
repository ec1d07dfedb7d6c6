package dev.carillon.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Occurrences that end by themselves, with a last instant or after so many. Thread-safe. */
final class EndingOccurrences implements Occurrences {

  /** Where they end. */
  private interface Limit {

    /** The last instant, or any that is not before the given one if the last is not, either. */
    Instant lastOrBeyond(Instant instant);
  }

  private final Occurrences occurrences;
  private final String ending;
  private final String endReason;
  private final Limit limit;

  private EndingOccurrences(Occurrences occurrences, String ending, String endReason, Limit limit) {
    this.occurrences = occurrences;
    this.ending = ending;
    this.endReason = endReason;
    this.limit = limit;
  }

  static Occurrences until(Instant last, Occurrences occurrences) {
    return new EndingOccurrences(occurrences, ", until " + last, "after UNTIL", instant -> last);
  }

  /** The first so many from the start on, whatever is excluded of them later. */
  static Occurrences first(int count, Instant start, Occurrences occurrences) {
    return new EndingOccurrences(
        occurrences,
        ", " + English.count(count, "time"),
        "over COUNT",
        new Counter(count, start, occurrences));
  }

  /** Counts no further than it is asked: to find the last of many may take long. */
  private static final class Counter implements Limit {

    private record Counted(int number, Instant latest) {}

    private final int count;
    private final Occurrences occurrences;
    private volatile Counted counted;

    Counter(int count, Instant start, Occurrences occurrences) {
      this.count = count;
      this.occurrences = occurrences;
      this.counted = new Counted(0, start.minusMillis(1));
    }

    @Override
    public Instant lastOrBeyond(Instant instant) {
      Counted known = counted;
      int number = known.number();
      Instant latest = known.latest();
      while (number < count && latest.isBefore(instant)) {
        Optional<Instant> next = occurrences.next(latest);
        number = next.isPresent() ? number + 1 : count;
        latest = next.orElse(latest);
      }
      counted = new Counted(number, latest);
      return latest;
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return occurrences.next(after).filter(instant -> !instant.isAfter(limit.lastOrBeyond(instant)));
  }

  /** The given instant, or the last one that belongs if that is earlier. */
  private Instant cut(Instant until) {
    Instant last = limit.lastOrBeyond(until);
    return last.isBefore(until) ? last : until;
  }

  @Override
  public OptionalLong count(Instant after, Instant until) {
    return occurrences.count(after, cut(until));
  }

  @Override
  public Optional<Ending> ending() {
    return Optional.of(new Ending(this::cut, occurrences, endReason));
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
  public List<Preview.Missing> missing(Instant from, Instant until, int limitOfList) {
    Instant end = cut(until);
    return from.isAfter(end) ? List.of() : occurrences.missing(from, end, limitOfList);
  }

  @Override
  public boolean isFinite() {
    return true;
  }
}
