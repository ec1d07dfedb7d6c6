package dev.carillon.explain;

import java.time.Instant;
import java.util.Objects;

/**
 * How things stand besides what is stored.
 *
 * @param now the present
 * @param brokerIsThere whether notices can be parked, as seen from here
 * @param isInProcess whether they are parked in the memory of this process, not in RabbitMQ
 */
public record Situation(Instant now, boolean brokerIsThere, boolean isInProcess) {

  public Situation {
    Objects.requireNonNull(now, "now");
  }

  /** Why nothing can be parked, to begin a sentence or to go on with one. */
  String brokerIsAway() {
    return isInProcess ? "this process takes no notices (full, or closed)" : "RabbitMQ is away";
  }

  /** To go on with after {@link #brokerIsAway}. */
  String whenBack() {
    return isInProcess ? "when it does again" : "when it is back";
  }
}
