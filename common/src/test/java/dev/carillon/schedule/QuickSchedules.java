package dev.carillon.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Schedules too quick for users, for tests that run in real time. They cannot be stored as text.
 */
public final class QuickSchedules {

  private QuickSchedules() {}

  /** So many firings, the first of them at the given start. */
  public static Schedule every(Duration interval, Instant start, int times) {
    return new DefinedSchedule(
        Map.of("interval", interval.toString(), "startTime", start.toString(), "maxRuns", times),
        new ElapsedInterval(start, interval),
        new Window(Optional.of(Boundary.of(start)), Optional.empty(), Exclusions.NONE),
        ZoneOffset.UTC,
        OptionalLong.of(times),
        Jitter.NONE);
  }
}
