package dev.carillon.rabbit;

import dev.carillon.ops.OutageLog;
import dev.carillon.ops.Threads;
import dev.carillon.queue.QueueCensus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the budget of own queues and the census of all processes in step, on a thread of its own.
 * While the census cannot be reached, what it allows is used up, and then the wheel is used. To be
 * started once.
 */
final class CensusTaker implements AutoCloseable {

  static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(CensusTaker.class);

  private final OutageLog reporting =
      new OutageLog(log, "tell other processes how many queues there are");
  private final OwnQueueBudget budget;
  private final QueueCensus census;
  private final InstantSource clock;
  private final Duration horizon;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(Threads.named("carillon-rabbit-census"));

  private volatile boolean closed;

  CensusTaker(OwnQueueBudget budget, QueueCensus census, InstantSource clock, Duration horizon) {
    this.budget = budget;
    this.census = census;
    this.clock = clock;
    this.horizon = horizon;
  }

  void start() {
    Future<?> unused =
        thread.scheduleWithFixedDelay(this::report, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void report() {
    try {
      Instant now = clock.instant();
      budget.reported(census.exchange(budget.report(now, horizon), now));
      reporting.succeeded();
    } catch (RuntimeException | Error e) { // or else there would be no next time
      if (!closed) {
        reporting.failed(e);
      }
    }
  }

  private void reportLast() {
    Instant now = clock.instant();
    try {
      long unused = census.exchange(budget.lastReport(now), now);
    } catch (RuntimeException e) { // what is on record is a little more than there is
      log.debug("the last report could not be put on record", e);
    }
  }

  /**
   * From now on no more queues may be declared; those there are stay on record, as they do on the
   * broker. Idempotent.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    thread.execute(this::reportLast);
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
