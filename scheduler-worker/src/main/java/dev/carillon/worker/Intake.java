package dev.carillon.worker;

import dev.carillon.flow.Firing;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.WorkQueue;
import dev.carillon.queue.WorkQueue.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes notices from the work queue, holds each until its time, and fires it on one of a bounded
 * number of threads. Thread-safe.
 */
final class Intake implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Intake.class);
  private static final Duration STORE_PAUSE = Duration.ofSeconds(1);

  private final WorkQueue workQueue;
  private final Firing firing;
  private final InstantSource clock;
  private final int prefetch;
  private final Duration grace;
  private final AttemptRunner runner;
  private final ExecutorService arrivals;
  private final ScheduledExecutorService timer;
  private final ExecutorService threads;
  private final Set<Delivery> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;
  private volatile Subscription subscription;

  Intake(
      WorkQueue workQueue,
      Firing firing,
      InstantSource clock,
      AttemptRunner runner,
      WorkerSettings settings) {
    this.workQueue = workQueue;
    this.firing = firing;
    this.clock = clock;
    this.runner = runner;
    this.prefetch = settings.prefetch();
    this.grace = settings.shutdownGrace();
    this.arrivals = Executors.newSingleThreadExecutor(Threads.named("arrivals"));
    this.timer = Executors.newSingleThreadScheduledExecutor(Threads.named("due"));
    this.threads = Executors.newFixedThreadPool(settings.concurrency(), Threads.named("firing"));
  }

  void start() {
    subscription = workQueue.subscribe(prefetch, this::accept);
  }

  /** Whether notices can arrive. */
  boolean isActive() {
    Subscription current = subscription;
    return current != null && current.isActive();
  }

  /** On the broker's thread: only takes note. */
  private void accept(Delivery delivery) {
    waiting.add(delivery);
    if (stopping) {
      giveBack(delivery);
      return;
    }
    arrivals.execute(() -> arrive(delivery));
  }

  private void arrive(Delivery delivery) {
    try {
      firing
          .arrived(delivery)
          .ifPresentOrElse(at -> holdUntil(at, delivery), () -> waiting.remove(delivery));
    } catch (RuntimeException e) {
      log.error("notice {} could not be taken in; it is given back", delivery.notice(), e);
      giveBack(delivery);
    }
  }

  private void holdUntil(Instant at, Delivery delivery) {
    Duration wait = Duration.between(clock.instant(), at);
    if (wait.isZero() || wait.isNegative()) {
      later(Duration.ZERO, () -> threads.execute(() -> fire(delivery)));
    } else {
      // looks at the clock again: a timer may be early by its rounding
      later(wait, () -> holdUntil(at, delivery));
    }
  }

  private void later(Duration wait, Runnable action) {
    Future<?> unused =
        timer.schedule(
            () -> {
              if (!stopping) {
                action.run();
              }
            },
            wait.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  private void fire(Delivery delivery) {
    if (!waiting.remove(delivery)) {
      return; // given back
    }
    try {
      firing.fire(delivery);
    } catch (RuntimeException storeAway) {
      log.warn(
          "notice {} could not be claimed; trying again in {}",
          delivery.notice(),
          STORE_PAUSE,
          storeAway);
      waiting.add(delivery);
      if (stopping) {
        giveBack(delivery);
      } else {
        later(STORE_PAUSE, () -> threads.execute(() -> fire(delivery)));
      }
    } catch (InterruptedException e) {
      log.warn(
          "stopped before the outcome of {} was recorded; it is run again after its lease",
          delivery.notice());
      Thread.currentThread().interrupt();
    }
  }

  private void giveBack(Delivery delivery) {
    if (waiting.remove(delivery)) {
      delivery.requeue();
    }
  }

  /**
   * Takes nothing more, gives back at once what has not started, lets what runs go on for the grace
   * period, and then hands the rest back. Idempotent.
   */
  @Override
  public void close() {
    stopping = true;
    Subscription current = subscription;
    if (current != null) {
      current.close();
    }
    arrivals.shutdown();
    timer.shutdownNow();
    waiting.forEach(this::giveBack);
    threads.shutdown();
    int left = runner.runningCount();
    if (left > 0) {
      log.info("waiting up to {} for {} running sub-tasks", grace, left);
    }
    if (!ended(grace)) {
      log.warn(
          "{} sub-tasks still run after {}; they are handed back", runner.runningCount(), grace);
      runner.handBack();
      if (!ended(Duration.ofSeconds(5))) {
        threads.shutdownNow();
        log.error(
            "{} sub-tasks do not heed their interruption; another worker runs them after their lease",
            runner.runningCount());
      }
    }
  }

  private boolean ended(Duration time) {
    try {
      return threads.awaitTermination(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
