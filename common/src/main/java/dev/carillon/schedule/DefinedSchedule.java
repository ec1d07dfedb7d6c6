package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.Instant;
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
  private final Exclusions exclusions;
  private final Jitter jitter;
  private final OptionalLong maxRuns;

  DefinedSchedule(
      Map<String, Object> form,
      Occurrences occurrences,
      Window window,
      Exclusions exclusions,
      Jitter jitter,
      OptionalLong maxRuns) {
    this.form = Collections.unmodifiableMap(new LinkedHashMap<>(form));
    this.occurrences = occurrences;
    this.window = window;
    this.exclusions = exclusions;
    this.jitter = jitter;
    this.maxRuns = maxRuns;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Optional<Instant> next = nextDisregardingExclusions(clamp(after));
    Optional<Instant> excludedUntil = next.flatMap(exclusions::endOfStretch);
    while (excludedUntil.isPresent()) {
      next = nextDisregardingExclusions(excludedUntil.get());
      excludedUntil = next.flatMap(exclusions::endOfStretch);
    }
    return next;
  }

  private Optional<Instant> nextDisregardingExclusions(Instant after) {
    return occurrences.next(after).filter(instant -> !instant.isAfter(window.last()));
  }

  /** Whether only exclusions are the reason that nothing comes after the given instant. */
  boolean firesButForExclusions(Instant after) {
    return next(after).isEmpty() && nextDisregardingExclusions(clamp(after)).isPresent();
  }

  @Override
  public OptionalLong remaining(Instant after) {
    if (window.end().isEmpty() && !occurrences.isFinite()) {
      return OptionalLong.empty();
    }
    Instant from = clamp(after);
    OptionalLong all = occurrences.count(from, window.last());
    return all.isEmpty() ? all : OptionalLong.of(all.getAsLong() - excluded(from));
  }

  /** How many occurrences after the given instant are excluded; they are no more than all. */
  private long excluded(Instant from) {
    long excluded = 0;
    for (Map.Entry<Instant, Instant> stretch : exclusions.stretches().entrySet()) {
      Instant before = later(from, stretch.getKey().minusMillis(1));
      Instant last = earlier(stretch.getValue(), window.last());
      excluded += occurrences.count(before, last).orElseThrow();
    }
    return excluded;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /** Whole milliseconds, and no earlier or later than makes a difference. */
  private Instant clamp(Instant after) {
    Instant beforeFirst = window.first().minusMillis(1);
    if (after.isBefore(beforeFirst)) {
      return beforeFirst;
    }
    return after.isAfter(Form.LATEST) ? Form.LATEST : after.truncatedTo(ChronoUnit.MILLIS);
  }

  /** The name of the field that says of what kind the schedule is. */
  String kind() {
    return form.keySet().iterator().next();
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
  public boolean equals(Object other) {
    return other instanceof DefinedSchedule that && form.equals(that.form);
  }

  @Override
  public int hashCode() {
    return form.hashCode();
  }

  @Override
  public String toString() {
    return "Schedule" + form;
  }
}
