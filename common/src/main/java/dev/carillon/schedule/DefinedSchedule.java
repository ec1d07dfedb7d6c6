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
  private final Jitter jitter;
  private final OptionalLong maxRuns;

  DefinedSchedule(
      Map<String, Object> form,
      Occurrences occurrences,
      Window window,
      Jitter jitter,
      OptionalLong maxRuns) {
    this.form = Collections.unmodifiableMap(new LinkedHashMap<>(form));
    this.occurrences = occurrences;
    this.window = window;
    this.jitter = jitter;
    this.maxRuns = maxRuns;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return occurrences.next(clamp(after)).filter(instant -> !instant.isAfter(window.last()));
  }

  @Override
  public OptionalLong remaining(Instant after) {
    boolean endless = window.end().isEmpty() && !occurrences.isFinite();
    return endless ? OptionalLong.empty() : occurrences.count(clamp(after), window.last());
  }

  /** Whole milliseconds, and no earlier or later than makes a difference. */
  private Instant clamp(Instant after) {
    Instant beforeFirst = window.first().minusMillis(1);
    if (after.isBefore(beforeFirst)) {
      return beforeFirst;
    }
    return after.isAfter(Form.LATEST) ? Form.LATEST : after.truncatedTo(ChronoUnit.MILLIS);
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
