package dev.carillon.schedule;

import java.time.Instant;
import java.util.Optional;

/** Fires once. */
record OneShot(Instant at) implements Occurrences {

  @Override
  public Optional<Instant> next(Instant after) {
    return after.isBefore(at) ? Optional.of(at) : Optional.empty();
  }

  @Override
  public String reading() {
    return "Once, at " + at;
  }

  @Override
  public boolean isFinite() {
    return true;
  }
}
