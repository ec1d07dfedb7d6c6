package dev.carillon.rabbit;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

/** A point in time after which nobody waits any more. */
record Deadline(long atNanos) {

  static Deadline after(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  long remainingNanos() {
    return Math.max(0, atNanos - System.nanoTime());
  }

  boolean isOver() {
    return remainingNanos() == 0;
  }

  /**
   * Waits until something is so, but no longer than until the deadline. An interruption does not
   * end the waiting, which is short: a worker that stops still has to park what comes next. It is
   * kept.
   *
   * @param signal is given whenever something has changed; its lock is held
   * @return whether it is so
   */
  boolean await(Condition signal, BooleanSupplier condition) {
    boolean interrupted = Thread.interrupted();
    try {
      while (!condition.getAsBoolean() && !isOver()) {
        try {
          signal.awaitNanos(remainingNanos());
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return condition.getAsBoolean();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
