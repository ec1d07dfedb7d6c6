package dev.carillon.worker;

import dev.carillon.store.Permits.Permit;
import dev.carillon.task.Claim;
import java.time.Instant;
import java.util.Optional;

/**
 * An attempt that a thread is running now, and the one place from which that thread may be
 * interrupted: never before the attempt has begun or after it has ended. Thread-safe.
 */
final class RunningAttempt {

  /** Why an attempt is given up. */
  enum GivenUp {
    /** It has taken longer than it may. */
    TIMEOUT,
    /** Its claim has ended: somebody else may run it. */
    CLAIM_LOST,
    /** The worker stops. */
    STOPPING
  }

  private final Claim claim;
  private final Optional<Permit> permit;
  private final Thread thread;
  private volatile Instant leaseUntil;
  private Optional<GivenUp> givenUp = Optional.empty();
  private boolean ended;

  /**
   * @param permit that it holds besides its claim
   */
  RunningAttempt(Claim claim, Optional<Permit> permit, Thread thread, Instant leaseUntil) {
    this.claim = claim;
    this.permit = permit;
    this.thread = thread;
    this.leaseUntil = leaseUntil;
  }

  Claim claim() {
    return claim;
  }

  Optional<Permit> permit() {
    return permit;
  }

  Instant leaseUntil() {
    return leaseUntil;
  }

  void leaseExtended(Instant until) {
    leaseUntil = until;
  }

  /** Interrupts the attempt, unless it has ended or is given up already. */
  synchronized void giveUp(GivenUp why) {
    if (!ended && givenUp.isEmpty()) {
      givenUp = Optional.of(why);
      thread.interrupt();
    }
  }

  /**
   * The attempt is over; called by its thread, which is not interrupted any more.
   *
   * @return why it was given up, if it was
   */
  synchronized Optional<GivenUp> end() {
    ended = true;
    boolean interrupted = Thread.interrupted();
    if (interrupted && givenUp.isEmpty()) {
      givenUp = Optional.of(GivenUp.STOPPING);
    }
    return givenUp;
  }
}
