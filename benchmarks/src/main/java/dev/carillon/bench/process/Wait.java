package dev.carillon.bench.process;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for something to come true, or for a time. */
public final class Wait {

  private static final long LOOK_EVERY_MILLIS = 20;

  private Wait() {}

  /** Whether the condition came true within the limit; looked at 50 times a second. */
  public static boolean until(Duration limit, BooleanSupplier condition) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        return false;
      }
      pause(LOOK_EVERY_MILLIS);
    }
    return true;
  }

  /** Returns when that time has come. */
  public static void until(Instant time) {
    long left = Duration.between(Instant.now(), time).toMillis();
    while (left > 0) {
      pause(left);
      left = Duration.between(Instant.now(), time).toMillis();
    }
  }

  /** Sleeps. */
  public static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
