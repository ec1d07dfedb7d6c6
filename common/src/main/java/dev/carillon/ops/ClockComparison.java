package dev.carillon.ops;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares a {@link StoreClock} with the store every 30 seconds, and every second while that fails
 * or the clock cannot be relied on. On a thread of its own, since a store may take its time to
 * answer. Thread-safe.
 */
public final class ClockComparison implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ClockComparison.class);
  private static final Duration INTERVAL = Duration.ofSeconds(30);

  /** How long the first comparison may be missing before that is worth a warning. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final OutageLog outage = new OutageLog(log, "compare clocks with the store");
  private final StoreClock clock;
  private final LongSupplier nanos;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(ClockComparison::daemon);
  private boolean wasReliable = true;
  private boolean hasCompared;
  private final long createdAt;
  private boolean failed = true;
  private long comparedAt;
  private volatile boolean closed;

  public ClockComparison(StoreClock clock) {
    this(clock, System::nanoTime);
  }

  ClockComparison(StoreClock clock, LongSupplier nanos) {
    this.clock = clock;
    this.nanos = nanos;
    this.createdAt = nanos.getAsLong();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "clock");
    thread.setDaemon(true);
    return thread;
  }

  /** Returns at once. To be called once. */
  public void start() {
    Future<?> unused =
        thread.scheduleWithFixedDelay(this::look, 0, RETRY.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Compares the clocks if it is time to. */
  void look() {
    boolean isDue = nanos.getAsLong() - comparedAt >= INTERVAL.toNanos();
    if (failed || isDue || !clock.isReliable()) {
      try {
        tellIfUnreliable();
        clock.refresh();
        comparedAt = nanos.getAsLong();
        failed = false;
        hasCompared = true;
        outage.succeeded();
      } catch (RuntimeException | Error e) { // or else there would be no next time
        failed = true;
        if (!closed) {
          outage.failed(e);
        }
      }
      tellIfUnreliable();
    }
  }

  private void tellIfUnreliable() {
    boolean isReliable = clock.isReliable();
    if (!isReliable && !hasCompared && nanos.getAsLong() - createdAt < PATIENCE.toNanos()) {
      return; // as at every start
    }
    if (wasReliable && !isReliable) {
      log.warn("the clock: {}", clock.state().detail());
    } else if (!wasReliable && isReliable) {
      log.info("the clock: {}", clock.state().detail());
    }
    wasReliable = isReliable;
  }

  /** Breaks off a comparison that is under way. Idempotent. */
  @Override
  public void close() {
    closed = true;
    thread.shutdownNow();
  }
}
