package dev.carillon.store;

import dev.carillon.task.Claim;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * How many runs with the same key are on: a semaphore for each key, whose permits are held by
 * claims, and like these end by themselves unless they are extended. Every change is atomic for one
 * key, and may be repeated. Thread-safe; what is said of {@link TaskStore} holds as well.
 */
public interface Permits {

  /**
   * A permit of a key.
   *
   * @param claim who holds it; the id says which permit it is
   */
  record Permit(String key, Claim claim) {

    public Permit {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(claim, "claim");
    }
  }

  /**
   * Takes a permit, if fewer than {@code limit} that have not ended are held by others. One that is
   * held already goes on until the given end.
   */
  boolean take(Permit permit, int limit, Instant now, Instant until);

  /**
   * Has permits that are still there go on until then.
   *
   * @return for each whether it is
   */
  List<Boolean> extendPermits(Collection<Permit> permits, Instant until);

  /** Gives a permit back. One that is not there any more is no matter. */
  void giveBack(Permit permit);

  /** How many permits of a key are held and have not ended. */
  int held(String key, Instant now);

  /**
   * Forgets keys all of whose permits have ended before the given instant, at most {@code limit} of
   * them.
   *
   * @return how many were forgotten
   */
  int purgePermits(Instant endedBefore, int limit);
}
