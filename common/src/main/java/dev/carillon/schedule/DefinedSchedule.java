package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The one place where the occurrences of a kind are held against window and exclusions. */
final class DefinedSchedule implements Schedule {

  private final Map<String, Object> form;
  private final Occurrences occurrences;
  private final Window window;
  private final ZoneId zone;
  private final OptionalLong maxRuns;
  private final Jitter jitter;

  /**
   * @param form what {@link #toForm()} is to return; the first field says of what kind it is
   */
  DefinedSchedule(
      Map<String, Object> form,
      Occurrences occurrences,
      Window window,
      ZoneId zone,
      OptionalLong maxRuns,
      Jitter jitter) {
    this.form = Collections.unmodifiableMap(new LinkedHashMap<>(form));
    this.occurrences = occurrences;
    this.window = window;
    this.zone = zone;
    this.maxRuns = maxRuns;
    this.jitter = jitter;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Optional<Instant> next = occurrence(after);
    Optional<Instant> excludedUntil = next.flatMap(window.exclusions()::endOfStretch);
    while (excludedUntil.isPresent()) {
      next = occurrence(excludedUntil.get());
      excludedUntil = next.flatMap(window.exclusions()::endOfStretch);
    }
    return next;
  }

  /** The first instant between start and end after the given one, excluded or not. */
  Optional<Instant> occurrence(Instant after) {
    return occurrences.next(clamp(after)).filter(instant -> !instant.isAfter(window.last()));
  }

  @Override
  public OptionalLong remaining(Instant after) {
    boolean endless = window.end().isEmpty() && !occurrences.isFinite();
    return endless ? OptionalLong.empty() : count(after, window.last());
  }

  /**
   * Halves the time in which it can be until nothing is left of it: schedules are made to be asked
   * for what comes next.
   */
  @Override
  public Optional<Instant> previous(Instant before) {
    Optional<Instant> first = next(window.first().minusMillis(1));
    if (first.isEmpty() || !first.get().isBefore(before)) {
      return Optional.empty();
    }
    Instant found = first.get();
    Instant nothingAfter = clamp(before.minusNanos(1));
    while (found.isBefore(nothingAfter)) {
      Instant middle = found.plusMillis(Duration.between(found, nothingAfter).toMillis() / 2);
      Optional<Instant> next = next(middle).filter(instant -> instant.isBefore(before));
      if (next.isPresent()) {
        found = next.get();
      } else {
        nothingAfter = middle;
      }
    }
    return Optional.of(found);
  }

  @Override
  public OptionalLong count(Instant after, Instant until) {
    Instant from = clamp(after);
    Instant last = earlier(until, window.last());
    OptionalLong all = occurrences.count(from, last);
    return all.isEmpty() ? all : OptionalLong.of(all.getAsLong() - countExcluded(from, last));
  }

  /** Not to be called when there are too many to count. */
  private long countExcluded(Instant from, Instant last) {
    long excluded = 0;
    for (Map.Entry<Instant, Instant> stretch : window.exclusions().stretches().entrySet()) {
      Instant before = later(from, stretch.getKey().minusMillis(1));
      excluded += occurrences.count(before, earlier(stretch.getValue(), last)).orElseThrow();
    }
    return excluded;
  }

  /** Whole milliseconds, and no earlier or later than makes a difference. */
  private Instant clamp(Instant after) {
    Instant beforeFirst = window.first().minusMillis(1);
    if (after.isBefore(beforeFirst)) {
      return beforeFirst;
    }
    return earlier(after, Form.LATEST).truncatedTo(ChronoUnit.MILLIS);
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  @Override
  public boolean hasEnded(Instant now) {
    return occurrences instanceof OneShot
        ? window.end().isPresent() && window.last().isBefore(now)
        : next(now).isEmpty();
  }

  @Override
  public OptionalLong maxRuns() {
    return maxRuns;
  }

  @Override
  public Duration jitterFor(String key) {
    return jitter.forKey(key);
  }

  @Override
  public Map<String, Object> toForm() {
    return form;
  }

  @Override
  public boolean startIsDefault() {
    return form.containsKey(ScheduleReader.START_IS_DEFAULT);
  }

  @Override
  public Map<String, Object> toUserForm() {
    Map<String, Object> ofUser = new LinkedHashMap<>(form);
    ofUser.remove(ScheduleReader.START_IS_DEFAULT);
    return ofUser;
  }

  @Override
  public Duration longestJitter() {
    return jitter.limit();
  }

  /** The name of the field that says of what kind the schedule is. */
  String kind() {
    return form.keySet().iterator().next();
  }

  Occurrences occurrences() {
    return occurrences;
  }

  Window window() {
    return window;
  }

  ZoneId zone() {
    return zone;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DefinedSchedule that && toUserForm().equals(that.toUserForm());
  }

  @Override
  public int hashCode() {
    return toUserForm().hashCode();
  }

  @Override
  public String toString() {
    return "Schedule" + form;
  }
}
