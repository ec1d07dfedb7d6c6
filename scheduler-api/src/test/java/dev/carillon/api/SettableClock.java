package dev.carillon.api;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is told to go on. */
final class SettableClock implements InstantSource {

  private final AtomicReference<Instant> now;

  SettableClock(Instant start) {
    this.now = new AtomicReference<>(start);
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  void advance(Duration time) {
    now.updateAndGet(instant -> instant.plus(time));
  }
}
