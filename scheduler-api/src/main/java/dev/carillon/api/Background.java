package dev.carillon.api;

import dev.carillon.ops.StoreClock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done beside answering, on a thread of its own: comparing clocks with the store, and what
 * is to be done a few seconds later. Thread-safe.
 */
final class Background implements Executor, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Background.class);
  private static final Duration CLOCK_INTERVAL = Duration.ofSeconds(30);
  private static final Duration CLOCK_RETRY = Duration.ofSeconds(5);
  private static final Duration LATER = Duration.ofSeconds(3);

  private final StoreClock clock;
  private final ScheduledThreadPoolExecutor thread;
  private boolean storeIsAway;

  Background(StoreClock clock) {
    this.clock = clock;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread background = new Thread(task, "api-background");
              background.setDaemon(true);
              return background;
            });
  }

  void start() {
    thread.execute(this::compareClocks);
  }

  private void compareClocks() {
    try {
      clock.refresh();
      if (storeIsAway) {
        log.info("clocks are compared with the store's again");
      }
      storeIsAway = false;
    } catch (RuntimeException e) {
      if (!storeIsAway) {
        log.warn(
            "cannot compare clocks with the store; trying again every {}: {}",
            CLOCK_RETRY,
            e.toString());
      }
      storeIsAway = true;
    }
    after(storeIsAway ? CLOCK_RETRY : CLOCK_INTERVAL, this::compareClocks);
  }

  /** Runs it a few seconds later, or never when this is closed before. */
  @Override
  public void execute(Runnable work) {
    after(LATER, work);
  }

  private void after(Duration delay, Runnable work) {
    try {
      Future<?> unused = thread.schedule(work, delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException closed) {
      log.debug("not done any more, since the process stops");
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
