package dev.carillon.explain;

import java.time.Instant;
import java.util.Objects;

/**
 * How things stand besides what is stored.
 *
 * @param now the present
 * @param brokerIsThere whether notices can be parked, as seen from here
 */
public record Situation(Instant now, boolean brokerIsThere) {

  public Situation {
    Objects.requireNonNull(now, "now");
  }
}
