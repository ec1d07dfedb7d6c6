package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;
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
  private final ZoneRules zone;
  private final DstRules dst;

  ZonedOccurrences(LocalSeries series, ZoneId zone, DstRules dst) {
    this.series = series;
    this.zone = zone.getRules();
    this.dst = dst;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Instant from = after.plusMillis(1);
    while (!from.isAfter(Form.LATEST)) {
      Stretch stretch = Stretch.at(from, zone);
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
    LocalDateTime lowest = stretch.toLocal(from);
    if (dst.overlap() == DstRules.Overlap.FIRST && stretch.openingOverlap().isPresent()) {
      lowest = later(lowest, stretch.openingOverlap().get().getDateTimeBefore());
    }
    return series.ceiling(lowest).filter(local -> isWithin(stretch, local)).map(stretch::toInstant);
  }

  private boolean isWithin(Stretch stretch, LocalDateTime local) {
    if (stretch.closing().isEmpty()) {
      return true;
    }
    ZoneOffsetTransition closing = stretch.closing().get();
    boolean repeatedLater = dst.overlap() == DstRules.Overlap.LAST && closing.isOverlap();
    return local.isBefore(repeatedLater ? closing.getDateTimeAfter() : closing.getDateTimeBefore());
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

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private static LocalDateTime later(LocalDateTime one, LocalDateTime other) {
    return one.isAfter(other) ? one : other;
  }
}
