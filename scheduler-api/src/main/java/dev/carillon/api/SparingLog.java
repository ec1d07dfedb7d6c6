package dev.carillon.api;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/** Warns of what may happen to every request at once, but not every time. Thread-safe. */
final class SparingLog {

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Logger log;
  private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());
  private final AtomicLong skipped = new AtomicLong();

  SparingLog(Logger log) {
    this.log = log;
  }

  /**
   * @param request the one that it happened to, for the placeholder in the message
   */
  void warn(String message, String request) {
    long now = System.nanoTime();
    long until = quietUntil.get();
    if (now - until >= 0 && quietUntil.compareAndSet(until, now + PAUSE_NANOS)) {
      long others = skipped.getAndSet(0);
      log.warn(others == 0 ? message : message + " (and " + others + " others)", request);
    } else {
      skipped.incrementAndGet();
    }
  }
}
