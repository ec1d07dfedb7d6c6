package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Walks through a range once and notes what fires, what does not, and why. */
final class PreviewWalk {

  private final DefinedSchedule schedule;
  private final Preview.Range range;
  private final Preview.Standing standing;
  private final Instant beforeRange;
  private final Instant endOfRange;
  private final List<Instant> firings = new ArrayList<>();

  /** What would fire but for the end or maxRuns; with the firings no more than were asked for. */
  private final List<Preview.Missing> cutOff = new ArrayList<>();

  /** What does not fire for a reason that is not the schedule's; these count as well. */
  private final List<Preview.Missing> withheld = new ArrayList<>();

  private final Map<Instant, Preview.Missing> missing = new TreeMap<>();

  PreviewWalk(DefinedSchedule schedule, Preview.Range range, Preview.Standing standing) {
    this.schedule = schedule;
    this.range = range;
    this.standing = standing;
    this.beforeRange = range.from().minusMillis(1);
    this.endOfRange = range.until().orElse(Form.LATEST);
  }

  Preview walk() {
    collectFirings();
    Instant horizon = horizon();
    collectExcluded(horizon);
    collectUnreal(horizon);
    withheld.forEach(this::note);
    cutOff.forEach(this::note);
    firings.forEach(missing::remove);
    return new Preview(
        ScheduleReading.of(schedule, range.from()),
        firings.stream().map(at -> new Preview.Firing(at, local(at))).toList(),
        missing.values().stream().limit(Preview.MOST).toList());
  }

  /** How many of the runs that maxRuns allows are left when the range begins. */
  private long runsLeft() {
    if (schedule.maxRuns().isEmpty()) {
      return Long.MAX_VALUE;
    }
    long runsBetween =
        standing.until().isBefore(beforeRange)
            ? schedule.count(standing.until(), beforeRange).orElse(Occurrences.COUNTABLE)
            : 0;
    return schedule.maxRuns().getAsLong() - standing.runs() - runsBetween;
  }

  private void collectFirings() {
    long runsLeft = runsLeft();
    Optional<Instant> next = schedule.next(beforeRange);
    while (isWanted(next)) {
      Instant at = next.get();
      boolean isCounted = at.isAfter(standing.until());
      Optional<String> whyNot = standing.whyNot().apply(at);
      if (whyNot.isPresent()) {
        withheld.add(missing(at, whyNot.get()));
      } else if (isCounted && runsLeft <= 0) {
        cutOff.add(missing(at, "over maxRuns"));
      } else {
        firings.add(at);
        runsLeft -= isCounted ? 1 : 0;
      }
      next = schedule.next(at);
    }
    if (next.isEmpty()) {
      Occurrences occurrences = schedule.occurrences();
      if (schedule.window().end().isPresent()) {
        collectAfterEnd(occurrences, schedule.window().last(), "after the end");
      }
      occurrences
          .ending()
          .ifPresent(
              end -> collectAfterEnd(end.unended(), end.cut().apply(endOfRange), end.reason()));
    }
  }

  private void collectAfterEnd(Occurrences occurrences, Instant end, String reason) {
    Optional<Instant> next = occurrences.next(end.isAfter(beforeRange) ? end : beforeRange);
    while (isWanted(next)) {
      cutOff.add(missing(next.get(), reason));
      next = occurrences.next(next.get());
    }
  }

  private boolean isWanted(Optional<Instant> instant) {
    return instant.isPresent()
        && !instant.get().isAfter(endOfRange)
        && firings.size() + withheld.size() + cutOff.size() < range.count();
  }

  /** Up to where there might be more to tell: not beyond the last instant that is shown. */
  private Instant horizon() {
    if (!cutOff.isEmpty()) {
      return cutOff.get(0).at();
    }
    Instant end =
        firings.size() + withheld.size() == range.count()
            ? Stream.concat(firings.stream(), withheld.stream().map(Preview.Missing::at))
                .max(Instant::compareTo)
                .orElseThrow()
            : endOfRange;
    return end.isBefore(schedule.window().last()) ? end : schedule.window().last();
  }

  private void collectExcluded(Instant horizon) {
    schedule.window().exclusions().given().stream()
        .sorted(Comparator.comparing(Exclusions.Exclusion::first))
        .forEach(exclusion -> collectExcluded(exclusion, horizon));
  }

  private void collectExcluded(Exclusions.Exclusion exclusion, Instant horizon) {
    Instant before = exclusion.first().minusMillis(1);
    Optional<Instant> next =
        schedule.occurrence(before.isAfter(beforeRange) ? before : beforeRange);
    while (next.isPresent()
        && !next.get().isAfter(horizon)
        && !next.get().isAfter(exclusion.last())
        && missing.size() < Preview.MOST) {
      note(missing(next.get(), exclusion.reason()));
      next = schedule.occurrence(next.get());
    }
  }

  /** What the clocks or the calendar do not have, or have once too often. */
  private void collectUnreal(Instant horizon) {
    Instant first = schedule.window().first();
    Instant from = first.isAfter(range.from()) ? first : range.from();
    if (!from.isAfter(horizon)) {
      schedule.occurrences().missing(from, horizon, Preview.MOST).forEach(this::note);
    }
  }

  private void note(Preview.Missing what) {
    missing.putIfAbsent(what.at(), what);
  }

  private Preview.Missing missing(Instant at, String reason) {
    return new Preview.Missing(at, local(at), reason);
  }

  private String local(Instant at) {
    return Stretch.localText(at, schedule.zone());
  }
}
