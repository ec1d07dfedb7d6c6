package dev.carillon.worker;

import dev.carillon.flow.Ports;
import dev.carillon.flow.Sweep;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.StoreClock;
import dev.carillon.store.TaskStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a worker does from time to time, on one thread: sweep, clean up, set its clock. */
final class SweepLoop implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SweepLoop.class);
  private static final Duration CLOCK_INTERVAL = Duration.ofSeconds(30);
  private static final Duration PURGE_INTERVAL = Duration.ofMinutes(10);
  private static final int PURGE_BATCH = 1_000;

  private final Sweep sweep;
  private final TaskStore store;
  private final StoreClock clock;
  private final SchedulerMetrics metrics;
  private final Duration sweepInterval;
  private final Duration retention;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(Threads.named("sweep"));

  SweepLoop(Sweep sweep, Ports ports, StoreClock clock, WorkerSettings settings) {
    this.sweep = sweep;
    this.store = ports.store();
    this.metrics = ports.metrics();
    this.clock = clock;
    this.sweepInterval = settings.sweepInterval();
    this.retention = settings.retention();
  }

  void start() {
    every(CLOCK_INTERVAL, "compare clocks with the store", clock::refresh);
    every(sweepInterval, "sweep", this::sweep);
    every(PURGE_INTERVAL, "remove old sub-tasks", this::purge);
  }

  private void every(Duration interval, String what, Runnable work) {
    Repeated repeated = new Repeated(what, work);
    Future<?> unused =
        thread.scheduleWithFixedDelay(repeated, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void sweep() {
    boolean more = true;
    while (more && !Thread.currentThread().isInterrupted()) {
      more = sweep.sweepOnce();
    }
  }

  private void purge() {
    Instant endedBefore = clock.instant().minus(retention);
    int purged;
    do {
      purged = store.purgeArchive(endedBefore, PURGE_BATCH);
      metrics.purged(purged);
    } while (purged == PURGE_BATCH && !Thread.currentThread().isInterrupted());
  }

  /** Work that is tried again next time, and logged when it begins and when it ceases to fail. */
  private static final class Repeated implements Runnable {
    private final String what;
    private final Runnable work;
    private boolean failing;

    Repeated(String what, Runnable work) {
      this.what = what;
      this.work = work;
    }

    @Override
    public void run() {
      try {
        work.run();
        if (failing) {
          log.info("could {} again", what);
          failing = false;
        }
      } catch (RuntimeException e) {
        if (failing) {
          log.debug("still could not {}", what, e);
        } else {
          log.warn("could not {}; trying again until it succeeds", what, e);
          failing = true;
        }
      }
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
