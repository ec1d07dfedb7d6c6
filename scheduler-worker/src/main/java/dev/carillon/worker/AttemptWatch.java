package dev.carillon.worker;

import dev.carillon.worker.RunningAttempt.GivenUp;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Has one attempt given up when it has taken too long, and when its lease ends, which may be
 * extended meanwhile. Thread-safe.
 */
final class AttemptWatch implements AutoCloseable {

  private final RunningAttempt attempt;
  private final InstantSource clock;
  private final ScheduledExecutorService timer;
  private final Future<?> timeout;
  private Future<?> leaseEnd;
  private boolean closed;

  private AttemptWatch(
      RunningAttempt attempt,
      Duration timeout,
      InstantSource clock,
      ScheduledExecutorService timer) {
    this.attempt = attempt;
    this.clock = clock;
    this.timer = timer;
    this.timeout =
        timer.schedule(
            () -> attempt.giveUp(GivenUp.TIMEOUT), timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Begins to watch.
   *
   * @param timeout counted from now
   * @param clock what the lease is measured by
   */
  static AttemptWatch over(
      RunningAttempt attempt,
      Duration timeout,
      InstantSource clock,
      ScheduledExecutorService timer) {
    AttemptWatch watch = new AttemptWatch(attempt, timeout, clock, timer);
    watch.lookAtLease();
    return watch;
  }

  private synchronized void lookAtLease() {
    if (closed) {
      return;
    }
    Duration left = Duration.between(clock.instant(), attempt.leaseUntil());
    if (left.isNegative() || left.isZero()) {
      attempt.giveUp(GivenUp.CLAIM_LOST);
    } else {
      leaseEnd = timer.schedule(this::lookAtLease, left.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Ends watching. */
  @Override
  public synchronized void close() {
    closed = true;
    timeout.cancel(false);
    if (leaseEnd != null) {
      leaseEnd.cancel(false);
    }
  }
}
