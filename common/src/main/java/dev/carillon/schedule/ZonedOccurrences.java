package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The one place where local times become instants. Walking the local times in their order would not
 * do: what is moved out of a gap may come later than the times behind the gap, and the second copy
 * of a repeated hour later than the times after it. So it goes from one change of the clocks to the
 * next, and within such a stretch takes the earlier of what the clock shows and what was moved in
 * from the gap. Two local times that fall on the same instant are one occurrence.
 */
final class ZonedOccurrences implements Occurrences {

  /** More than any two offsets differ. */
  private static final Duration OFFSETS = Duration.ofDays(2);

  private final LocalSeries series;
  private final ZoneId zoneId;
  private final ZoneRules zone;
  private final Stretches stretches;
  private final DstRules dst;

  /** Whether the clock is only looked at; then its changes are nothing to tell anybody. */
  private final boolean onElapsedTime;

  private ZonedOccurrences(LocalSeries series, ZoneId zone, DstRules dst, boolean onElapsedTime) {
    this.series = series;
    this.zoneId = zone;
    this.zone = zone.getRules();
    this.stretches = new Stretches(this.zone);
    this.dst = dst;
    this.onElapsedTime = onElapsedTime;
  }

  /** For restricted hours and calendar periods: the times are meant as the clock shows them. */
  static ZonedOccurrences byTheClock(LocalSeries series, ZoneId zone, DstRules dst) {
    return new ZonedOccurrences(series, zone, dst, false);
  }

  /**
   * For what goes on hour by hour, such as {@code 0 * * * *}: both copies of a repeated hour count,
   * and from the gap, which never is, nothing is moved.
   */
  static ZonedOccurrences onElapsedTime(LocalSeries series, ZoneId zone) {
    DstRules rules = new DstRules(DstRules.Gap.SKIP, DstRules.Overlap.BOTH);
    return new ZonedOccurrences(series, zone, rules, true);
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Instant from = after.plusMillis(1);
    while (!from.isAfter(Form.LATEST)) {
      Stretch stretch = stretches.at(from);
      Optional<Instant> found = firstWithin(stretch, from);
      Optional<LocalDateTime> upcoming =
          found.isPresent() ? Optional.empty() : upcoming(stretch, from);
      if (upcoming.isEmpty() || stretch.closing().isEmpty()) {
        return found;
      }
      from =
          later(
              stretch.closing().get().getInstant(),
              stretch.toInstant(upcoming.get()).minus(OFFSETS));
    }
    return Optional.empty();
  }

  private Optional<Instant> firstWithin(Stretch stretch, Instant from) {
    return Stream.concat(shown(stretch, from).stream(), moved(stretch, from).stream())
        .min(Instant::compareTo);
  }

  /** The first local time that the clock shows in this stretch and that counts there. */
  private Optional<Instant> shown(Stretch stretch, Instant from) {
    LocalDateTime end = end(stretch);
    return series
        .ceiling(lowest(stretch, from))
        .filter(local -> local.isBefore(end))
        .map(stretch::toInstant);
  }

  /** The first local time from an instant on that counts in its stretch. */
  private LocalDateTime lowest(Stretch stretch, Instant from) {
    LocalDateTime local = stretch.toLocal(from);
    return dst.overlap() == DstRules.Overlap.FIRST && stretch.openingOverlap().isPresent()
        ? later(local, stretch.openingOverlap().get().getDateTimeBefore())
        : local;
  }

  /** The first local time that does not count in a stretch any more. */
  private LocalDateTime end(Stretch stretch) {
    if (stretch.closing().isEmpty()) {
      return LocalDateTime.MAX;
    }
    ZoneOffsetTransition closing = stretch.closing().get();
    boolean repeatedLater = dst.overlap() == DstRules.Overlap.LAST && closing.isOverlap();
    return repeatedLater ? closing.getDateTimeAfter() : closing.getDateTimeBefore();
  }

  /** The first local time in the gap before this stretch that is moved to {@code from} or later. */
  private Optional<Instant> moved(Stretch stretch, Instant from) {
    if (stretch.gap().isEmpty() || dst.gap() == DstRules.Gap.SKIP) {
      return Optional.empty();
    }
    ZoneOffsetTransition gap = stretch.gap().get();
    if (dst.gap() == DstRules.Gap.END) {
      return from.isAfter(gap.getInstant())
          ? Optional.empty()
          : inGap(gap, gap.getDateTimeBefore()).map(local -> gap.getInstant());
    }
    return inGap(gap, Stretch.toLocal(from, gap.getOffsetBefore()))
        .map(local -> local.toInstant(gap.getOffsetBefore()));
  }

  private Optional<LocalDateTime> inGap(ZoneOffsetTransition gap, LocalDateTime from) {
    return from.isBefore(gap.getDateTimeAfter())
        ? series.ceiling(from).filter(local -> local.isBefore(gap.getDateTimeAfter()))
        : Optional.empty();
  }

  /** The first local time that may still come, this stretch's own repeated ones included. */
  private Optional<LocalDateTime> upcoming(Stretch stretch, Instant from) {
    LocalDateTime now = stretch.toLocal(from);
    return series.ceiling(
        stretch
            .closingOverlap()
            .map(ZoneOffsetTransition::getDateTimeAfter)
            .filter(now::isAfter)
            .orElse(now));
  }

  /**
   * Stretch by stretch; only the time after a gap is gone through, since what is moved there may
   * fall together with what is there anyway.
   */
  @Override
  public OptionalLong count(Instant after, Instant until) {
    Instant end = until.plusMillis(1);
    Instant from = after.plusMillis(1);
    long computed = 0;
    long goneThrough = 0;
    while (from.isBefore(end)) {
      Stretch stretch = stretches.at(from);
      Instant settled = earlier(endOfMoved(stretch, from), end);
      if (settled.isAfter(from)) {
        goneThrough +=
            Occurrences.super
                .count(from.minusMillis(1), settled.minusMillis(1))
                .orElse(COUNTABLE + 1);
      }
      LocalDateTime last = earlier(end(stretch), stretch.toLocal(end));
      OptionalLong shown = series.count(lowest(stretch, settled), last);
      if (shown.isEmpty() || goneThrough > COUNTABLE) {
        return Occurrences.super.count(after, until);
      }
      computed += shown.getAsLong();
      from = stretch.closing().map(ZoneOffsetTransition::getInstant).orElse(end);
    }
    return OptionalLong.of(computed + goneThrough);
  }

  /** When all that was moved out of the gap before this stretch is over. */
  private Instant endOfMoved(Stretch stretch, Instant from) {
    boolean nothingMoves = dst.gap() == DstRules.Gap.SKIP;
    return nothingMoves
        ? from
        : stretch
            .gap()
            .map(gap -> later(from, gap.getInstant().plus(gap.getDuration())))
            .orElse(from);
  }

  @Override
  public String reading() {
    return series.reading();
  }

  @Override
  public List<String> remarks(Instant from) {
    List<String> remarks = new ArrayList<>(series.remarks());
    if (!onElapsedTime && zone.nextTransition(from) != null) {
      remarks.add(dst.reading());
    }
    return remarks;
  }

  @Override
  public List<Preview.Missing> missing(Instant from, Instant until, int limit) {
    MissingLocalTimes missing = new MissingLocalTimes(series, zoneId, dst);
    return Stream.concat(
            missing.fromCalendar(from, until, limit).stream(),
            onElapsedTime ? Stream.empty() : missing.fromClock(from, until, limit).stream())
        .filter(one -> !one.at().isBefore(from) && !one.at().isAfter(until))
        .toList();
  }

  private static LocalDateTime earlier(LocalDateTime one, LocalDateTime other) {
    return one.isBefore(other) ? one : other;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private static LocalDateTime later(LocalDateTime one, LocalDateTime other) {
    return one.isAfter(other) ? one : other;
  }
}
