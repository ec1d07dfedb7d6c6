package dev.carillon.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Occurrences of which the first is the start itself. Their local times alone would not say so: a
 * start in a repeated hour lies on one of two copies, whichever one the rules for later firings
 * prefer.
 */
final class StartingAt implements Occurrences {

  private final Instant start;
  private final Occurrences occurrences;

  /** The same local time as the start's, once more; not to be taken for a second occurrence. */
  private final Optional<Instant> secondCopy;

  StartingAt(Instant start, Occurrences occurrences, ZoneId zone, DstRules dst) {
    this.start = start;
    this.occurrences = occurrences;
    this.secondCopy =
        dst.overlap() == DstRules.Overlap.BOTH ? Optional.empty() : laterCopy(start, zone);
  }

  private static Optional<Instant> laterCopy(Instant start, ZoneId zone) {
    ZoneRules rules = zone.getRules();
    LocalDateTime local = LocalDateTime.ofInstant(start, zone);
    List<ZoneOffset> offsets = rules.getValidOffsets(local);
    return offsets.stream().map(local::toInstant).filter(start::isBefore).findFirst();
  }

  @Override
  public Optional<Instant> next(Instant after) {
    if (after.isBefore(start)) {
      return Optional.of(start);
    }
    Optional<Instant> next = occurrences.next(after);
    boolean repeatsStart = next.isPresent() && next.equals(secondCopy);
    return repeatsStart ? occurrences.next(next.get()) : next;
  }

  @Override
  public OptionalLong count(Instant after, Instant until) {
    if (until.isBefore(start)) {
      return OptionalLong.of(0);
    }
    boolean startCounts = after.isBefore(start);
    OptionalLong later = occurrences.count(startCounts ? start : after, until);
    return later.isEmpty()
        ? later
        : OptionalLong.of(
            later.getAsLong() + (startCounts ? 1 : 0) - (repeatsStart(after, until) ? 1 : 0));
  }

  private boolean repeatsStart(Instant after, Instant until) {
    return secondCopy
        .filter(copy -> copy.isAfter(after) && !copy.isAfter(until))
        .filter(copy -> occurrences.next(copy.minusMillis(1)).equals(secondCopy))
        .isPresent();
  }

  @Override
  public String reading() {
    return occurrences.reading();
  }

  @Override
  public List<String> remarks(Instant from) {
    return occurrences.remarks(from);
  }

  @Override
  public List<Preview.Missing> missing(Instant from, Instant until, int limit) {
    return occurrences.missing(from.isBefore(start) ? start : from, until, limit);
  }

  @Override
  public boolean isFinite() {
    return occurrences.isFinite();
  }
}
