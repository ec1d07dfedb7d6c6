package dev.carillon.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the local times of a series that do not fire, and says why. */
final class MissingLocalTimes {

  private static final String IN_GAP = "in the DST gap";
  private static final long NANOS_OF_TICK = 1_000_000;

  private final LocalSeries series;
  private final ZoneId zone;
  private final DstRules dst;

  MissingLocalTimes(LocalSeries series, ZoneId zone, DstRules dst) {
    this.series = series;
    this.zone = zone;
    this.dst = dst;
  }

  /** What the calendar does not have. */
  List<Preview.Missing> fromCalendar(Instant from, Instant until, int limit) {
    return series
        .absences(LocalDateTime.ofInstant(from, zone), LocalDateTime.ofInstant(until, zone), limit)
        .stream()
        .map(absence -> missing(absence.insteadOf().atZone(zone).toInstant(), absence.reason()))
        .toList();
  }

  /** What the changes of the clocks skip or repeat, and the rules leave out. */
  List<Preview.Missing> fromClock(Instant from, Instant until, int limit) {
    List<Preview.Missing> missing = new ArrayList<>();
    Optional<ZoneOffsetTransition> change = firstChange(from);
    while (change.isPresent()
        && !firstConcerned(change.get()).isAfter(until)
        && missing.size() < limit) {
      missing.addAll(at(change.get(), limit));
      change = changeAfter(change.get().getInstant());
    }
    return missing;
  }

  /** The last change of the clocks up to an instant, since it may matter some time longer. */
  private Optional<ZoneOffsetTransition> firstChange(Instant from) {
    Optional<ZoneOffsetTransition> before = Stretch.at(from, rules()).opening();
    return before.isPresent() ? before : changeAfter(from);
  }

  /** When what a change repeats is shown for the first time, or else when it happens. */
  private static Instant firstConcerned(ZoneOffsetTransition change) {
    Instant at = change.getInstant();
    return change.isOverlap() ? at.plus(change.getDuration()) : at; // which is negative
  }

  private Optional<ZoneOffsetTransition> changeAfter(Instant instant) {
    return Optional.ofNullable(rules().nextTransition(instant));
  }

  private ZoneRules rules() {
    return zone.getRules();
  }

  private List<Preview.Missing> at(ZoneOffsetTransition change, int limit) {
    List<Preview.Missing> missing = new ArrayList<>();
    boolean gap = change.isGap();
    LocalDateTime from = gap ? change.getDateTimeBefore() : change.getDateTimeAfter();
    LocalDateTime end = gap ? change.getDateTimeAfter() : change.getDateTimeBefore();
    Optional<LocalDateTime> local = series.ceiling(from);
    while (local.isPresent() && local.get().isBefore(end) && missing.size() < limit) {
      Optional<Preview.Missing> leftOut =
          gap ? inGap(local.get(), change) : inOverlap(local.get(), change);
      leftOut.ifPresent(missing::add);
      local = series.ceiling(local.get().plusNanos(NANOS_OF_TICK));
    }
    return missing;
  }

  private Optional<Preview.Missing> inGap(LocalDateTime local, ZoneOffsetTransition gap) {
    Instant at = local.toInstant(gap.getOffsetBefore());
    String text = DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(local);
    return switch (dst.gap()) {
      case SHIFT -> Optional.empty();
      case SKIP -> Optional.of(new Preview.Missing(at, text, IN_GAP));
      case END -> {
        String end = Stretch.localText(gap.getInstant(), zone);
        yield Optional.of(new Preview.Missing(at, text, IN_GAP + "; moved to its end, " + end));
      }
    };
  }

  private Optional<Preview.Missing> inOverlap(LocalDateTime local, ZoneOffsetTransition overlap) {
    return switch (dst.overlap()) {
      case FIRST ->
          Optional.of(
              missing(
                  local.toInstant(overlap.getOffsetAfter()), "the second copy of a repeated hour"));
      case LAST ->
          Optional.of(
              missing(
                  local.toInstant(overlap.getOffsetBefore()), "the first copy of a repeated hour"));
      case BOTH -> Optional.empty();
    };
  }

  private Preview.Missing missing(Instant at, String reason) {
    return new Preview.Missing(at, Stretch.localText(at, zone), reason);
  }
}
