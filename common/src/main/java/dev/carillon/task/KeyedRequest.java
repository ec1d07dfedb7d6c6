package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * The request that a run or a range is from, if its client wants to be able to repeat it without
 * having it carried out twice. It is stored with what it made, in the same step: so there is no
 * moment at which one is there and the other is not.
 *
 * @param key chosen by the client; counts for one task
 * @param fingerprint tells the client's request from others
 * @param takenAt the beginning of the key's life, in whole milliseconds
 */
public record KeyedRequest(String key, String fingerprint, Instant takenAt) {

  /** How long a key stands for its request. Then it is free. */
  public static final Duration LIFE = Duration.ofHours(24);

  public KeyedRequest {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(fingerprint, "fingerprint");
    takenAt = takenAt.truncatedTo(ChronoUnit.MILLIS);
  }

  /** Whether the other request has the same key, and comes while that is not free again. */
  public boolean isInTheWayOf(KeyedRequest later) {
    return key.equals(later.key) && later.takenAt.isBefore(takenAt.plus(LIFE));
  }

  /** Whether a request with the same key is a repetition of this one, and no other. */
  public boolean isRepeatedBy(KeyedRequest later) {
    return fingerprint.equals(later.fingerprint);
  }
}
