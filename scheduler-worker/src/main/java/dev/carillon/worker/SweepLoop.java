package dev.carillon.worker;

import dev.carillon.flow.KeyPurge;
import dev.carillon.flow.Ports;
import dev.carillon.flow.Sweep;
import dev.carillon.ops.OutageLog;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.StoreClock;
import dev.carillon.ops.Threads;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.TaskStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a worker does from time to time, on one thread: sweep, and clean up in between; nothing of
 * it while the clock cannot be relied on. Thread-safe.
 */
final class SweepLoop implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SweepLoop.class);
  private static final Duration PURGE_INTERVAL = Duration.ofMinutes(10);

  /** A key that is used often keeps its place. */
  private static final Duration PERMITS_KEPT = Duration.ofHours(1);

  private static final int PURGE_BATCH = 1_000;
  private static final Duration CLOCK_PAUSE = Duration.ofSeconds(1);

  /** Long enough for a batch that is just being parked, or else it would be late by its grace. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

  private final Sweep sweep;
  private final KeyPurge keyPurge;
  private final TaskStore store;
  private final StoreClock clock;
  private final SchedulerMetrics metrics;
  private final Duration sweepInterval;
  private final Duration retention;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(Threads.numbered("sweep"));
  private final Repeated cleaning = new Repeated("remove old sub-tasks and keys", this::purge);
  private volatile boolean stopping;

  SweepLoop(Sweep sweep, Ports ports, StoreClock clock, WorkerSettings settings) {
    this.sweep = sweep;
    this.keyPurge = new KeyPurge(ports);
    this.store = ports.store();
    this.metrics = ports.metrics();
    this.clock = clock;
    this.sweepInterval = settings.sweepInterval();
    this.retention = settings.retention();
  }

  void start() {
    every(sweepInterval, new Repeated("sweep", this::sweep));
    every(PURGE_INTERVAL, cleaning);
  }

  private void every(Duration interval, Repeated repeated) {
    Future<?> unused =
        thread.scheduleWithFixedDelay(repeated, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void sweep() {
    boolean more = true;
    while (more && !stopping && clock.isReliable()) {
      more = sweep.sweepOnce();
    }
  }

  private void purge() {
    if (!clock.isReliable()) {
      Future<?> unused = thread.schedule(cleaning, CLOCK_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
      return;
    }
    Instant now = clock.instant();
    int purged = store.purgeArchive(now.minus(retention), PURGE_BATCH);
    metrics.purged(purged);
    int forgotten = store.purgeKeys(now.minus(KeyedCreation.LIFE), PURGE_BATCH);
    int unused = store.purgePermits(now.minus(PERMITS_KEPT), PURGE_BATCH);
    boolean hasMore =
        keyPurge.purge(PURGE_BATCH) || Math.max(Math.max(purged, forgotten), unused) == PURGE_BATCH;
    if (hasMore && !stopping) {
      thread.execute(cleaning); // by turns with sweeps, which must not wait for long
    }
  }

  /** Work that is tried again next time. */
  private final class Repeated implements Runnable {
    private final Runnable work;
    private final OutageLog outage;

    Repeated(String what, Runnable work) {
      this.work = work;
      this.outage = new OutageLog(log, what);
    }

    @Override
    public void run() {
      try {
        work.run();
        outage.succeeded();
      } catch (RuntimeException | Error e) { // or else there would be no next time
        if (stopping) {
          log.debug("given up, since the worker stops", e);
        } else {
          outage.failed(e);
        }
      }
    }
  }

  /** Lets what is being done come to its end for a moment. Idempotent. */
  @Override
  public void close() {
    stopping = true;
    thread.shutdown();
    try {
      if (thread.awaitTermination(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
  }
}
