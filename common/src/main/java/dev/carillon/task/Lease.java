package dev.carillon.task;

import java.time.Instant;
import java.util.Objects;

/**
 * How long a claim on a sub-task holds. Its holder moves the end; once it has passed, somebody else
 * may take over.
 *
 * @param index of the sub-task that runs under the claim
 */
public record Lease(long index, Claim claim, Instant until) {

  public Lease {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(until, "until");
  }

  /** The same claim, held until then. */
  public Lease extended(Instant newUntil) {
    return new Lease(index, claim, newUntil);
  }

  boolean hasEnded(Instant now) {
    return !until.isAfter(now);
  }
}
