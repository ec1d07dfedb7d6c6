package dev.carillon.worker;

import dev.carillon.flow.Firing;
import dev.carillon.flow.Firing.Arrival;
import dev.carillon.ops.OutageLog;
import dev.carillon.ops.StoreClock;
import dev.carillon.ops.Threads;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.WorkQueue;
import dev.carillon.queue.WorkQueue.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes notices from the work queue, holds each until its time, and fires it on one of a bounded
 * number of threads, the most urgent first. What it holds is bounded by the prefetch, which counts
 * messages with up to a hundred notices, and by the number of different notices if the broker
 * delivers them over and over. While the clock cannot be relied on, it takes nothing and gives back
 * what has not begun, so that others get it. Thread-safe.
 */
final class Intake implements AutoCloseable {

  /** How long attempts that are handed back have for being recorded. */
  static final Duration HAND_BACK_LIMIT = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(Intake.class);
  private static final Duration STORE_PAUSE = Duration.ofSeconds(1);
  private static final Duration LOOK_AT_CLOCK = Duration.ofMillis(100);

  private final OutageLog firingOutage = new OutageLog(log, "claim what is due");
  private final WorkQueue workQueue;
  private final Firing firing;
  private final StoreClock clock;
  private final int prefetch;
  private final Duration grace;
  private final AttemptRunner runner;
  private final ScheduledExecutorService timer;
  private final FiringThreads threads;

  /** What has not begun to fire. Whoever takes an arrival out of it is the one to deal with it. */
  private final Map<Notice, Arrival> waiting = new ConcurrentHashMap<>();

  private volatile Optional<Subscription> subscription = Optional.empty();
  private boolean closed;

  Intake(
      WorkQueue workQueue,
      Firing firing,
      StoreClock clock,
      AttemptRunner runner,
      WorkerSettings settings) {
    this.workQueue = workQueue;
    this.firing = firing;
    this.clock = clock;
    this.runner = runner;
    this.prefetch = settings.prefetch();
    this.grace = settings.shutdownGrace();
    this.timer = Executors.newSingleThreadScheduledExecutor(Threads.numbered("due"));
    this.threads = new FiringThreads(settings.concurrency(), settings.concurrencyPerTask());
  }

  void start() {
    takeOrRest();
    Future<?> unused =
        timer.scheduleWithFixedDelay(
            this::takeOrRest,
            LOOK_AT_CLOCK.toMillis(),
            LOOK_AT_CLOCK.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** Takes notices from now on or leaves them to others, as the clock is. */
  private synchronized void takeOrRest() {
    boolean isReliable = clock.isReliable();
    if (isReliable && subscription.isEmpty() && !closed) {
      subscription = Optional.of(workQueue.subscribe(prefetch, this::accept));
    } else if (!isReliable && subscription.isPresent()) {
      rest();
    }
  }

  private void rest() {
    subscription.ifPresent(Subscription::close); // first: what is given back must not come here
    subscription = Optional.empty();
    waiting.keySet().forEach(this::giveBack);
  }

  /** Whether notices can arrive. */
  boolean isActive() {
    return subscription.filter(Subscription::isActive).isPresent();
  }

  /** On the broker's thread: only takes note. */
  private void accept(Delivery delivery) {
    Notice notice = delivery.notice();
    Arrival arrival = firing.arrived(delivery);
    Arrival earlier = waiting.put(notice, arrival);
    if (earlier == null) {
      fireAt(arrival.fireAt(), notice);
    } else {
      // delivered again, since the connection was lost, or doubled: fired once, in its place
      earlier.delivery().ack();
    }
  }

  /**
   * Has what waits for the notice fired then; given back if this worker does not start any more.
   */
  private void fireAt(Instant at, Notice notice) {
    Duration wait = Duration.between(clock.instant(), at);
    try {
      if (wait.isNegative() || wait.isZero()) {
        threads.execute(notice, attemptIsOver -> fire(notice, attemptIsOver));
      } else {
        // looks at the clock again: a timer may be early by its rounding
        Future<?> unused =
            timer.schedule(() -> fireAt(at, notice), wait.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (RejectedExecutionException stopping) {
      giveBack(notice);
    }
  }

  private void fire(Notice notice, Runnable attemptIsOver) {
    if (!clock.isReliable()) {
      takeOrRest(); // first, or else it would come again at once, over and over
      giveBack(notice);
      return;
    }
    Arrival arrival = waiting.remove(notice);
    if (arrival == null) {
      return; // given back
    }
    try {
      firing.fire(arrival, attemptIsOver);
      firingOutage.succeeded();
    } catch (RuntimeException | Error e) { // whatever it is, the notice must not get lost
      firingOutage.failed(e);
      tryAgain(arrival);
    } catch (InterruptedException e) {
      log.warn("stopped before the outcome of {} was recorded; it is run again later", notice);
      Thread.currentThread().interrupt();
    }
  }

  private void tryAgain(Arrival arrival) {
    Notice notice = arrival.delivery().notice();
    if (waiting.putIfAbsent(notice, arrival) == null) {
      fireAt(clock.instant().plus(STORE_PAUSE), notice);
    } else {
      arrival.delivery().ack(); // it has been delivered once more meanwhile
    }
  }

  private void giveBack(Notice notice) {
    Arrival arrival = waiting.remove(notice);
    if (arrival != null) {
      arrival.delivery().requeue();
    }
  }

  /**
   * Takes nothing more, gives back at once what has not started, lets what runs go on for the grace
   * period, and then hands the rest back. Idempotent.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      subscription.ifPresent(Subscription::close);
      subscription = Optional.empty();
    }
    timer.shutdownNow();
    threads.close();
    // what comes to wait from here on finds that nothing starts any more, and is given back as well
    waiting.keySet().forEach(this::giveBack);
    int left = runner.runningCount();
    if (left > 0) {
      log.info("waiting up to {} for {} running sub-tasks", grace, left);
    }
    if (!ended(grace)) {
      log.warn(
          "{} sub-tasks still run after {}; they are handed back", runner.runningCount(), grace);
      runner.handBack();
      if (!ended(HAND_BACK_LIMIT)) {
        threads.closeNow();
        log.error(
            "{} sub-tasks do not heed their interruption; another worker runs them after their lease",
            runner.runningCount());
      }
    }
  }

  private boolean ended(Duration time) {
    try {
      return threads.awaitEnd(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
