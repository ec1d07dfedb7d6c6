package dev.carillon.task;

import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * How often a sub-task is attempted and how long to wait in between.
 *
 * @param maxAttempts attempts altogether, the first included
 * @param initialDelay wait after the first failed attempt
 * @param factor by which each wait is longer than the one before
 * @param maxDelay longest wait
 */
public record RetryPolicy(
    int maxAttempts, Duration initialDelay, double factor, Duration maxDelay) {

  /** Three attempts, 10 s and 20 s apart. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(3, Duration.ofSeconds(10), 2, Duration.ofHours(1));

  private static final double JITTER = 0.1;

  public RetryPolicy {
    Objects.requireNonNull(initialDelay, "initialDelay");
    Objects.requireNonNull(maxDelay, "maxDelay");
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("maxAttempts must be at least 1");
    }
    if (initialDelay.isNegative() || maxDelay.compareTo(initialDelay) < 0) {
      throw new IllegalArgumentException("0 <= initialDelay <= maxDelay must hold");
    }
    if (!(factor >= 1)) {
      throw new IllegalArgumentException("factor must be at least 1");
    }
  }

  /** Whether another attempt is allowed after so many failed ones. */
  public boolean allowsAnotherAfter(int failedAttempts) {
    return failedAttempts < maxAttempts;
  }

  /**
   * The wait after the given number of failed attempts, which is at least 1. It is up to a tenth
   * longer than the policy says, so that what failed together is not repeated together.
   *
   * @param spread decides how much longer: the same gives the same
   */
  public Duration delayAfter(int failedAttempts, String spread) {
    double millis = (double) initialDelay.toMillis() * Math.pow(factor, failedAttempts - 1.0);
    double capped = Math.min(millis, (double) maxDelay.toMillis());
    return Duration.ofMillis((long) (capped * (1 + JITTER * fractionOf(spread, failedAttempts))));
  }

  /** Evenly spread over 0 to 1 for keys and numbers that follow each other. */
  private static double fractionOf(String spread, int failedAttempts) {
    SplittableRandom random = new SplittableRandom(31L * spread.hashCode() + failedAttempts);
    return random.nextDouble();
  }
}
