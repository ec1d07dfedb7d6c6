package dev.carillon.flow;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.ClaimAnswer.Gone;
import dev.carillon.store.ClaimAnswer.Held;
import dev.carillon.store.ClaimAnswer.Passed;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.TaskStore;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One firing from end to end: the notice arrives, the sub-task is claimed when it is due, its
 * action runs, the outcome is recorded, the next one is parked, the notice is acknowledged.
 *
 * <p>The process may die at any point; then what was done is in the store, and the notice that is
 * delivered again, or a sweep, goes on from there. Thread-safe.
 */
public final class Firing {

  /**
   * What an operator can set.
   *
   * @param worker name of this process, unlike that of any other or earlier one
   * @param lease how long a claim holds unless it is extended
   * @param longestHold how long a notice that is early may be held; earlier ones are parked again
   * @param ackEarlyFrom attempts that may take so long or longer are acknowledged before they run,
   *     since a broker takes back a notice that is not acknowledged in time
   */
  public record Settings(
      String worker, Duration lease, Duration longestHold, Duration ackEarlyFrom) {}

  private static final Logger log = LoggerFactory.getLogger(Firing.class);
  private static final Duration STORE_PAUSE = Duration.ofMillis(500);

  private final TaskStore store;
  private final PendingQueues pending;
  private final Chain chain;
  private final InstantSource clock;
  private final Pause pause;
  private final Runner runner;
  private final SchedulerMetrics metrics;
  private final Settings settings;
  private final Parker parker;
  private final AtomicLong claims = new AtomicLong();

  /**
   * @param pause how to wait for a store that is away
   */
  public Firing(Ports ports, Runner runner, Pause pause, Settings settings) {
    this.store = ports.store();
    this.pending = ports.pending();
    this.chain = ports.chain();
    this.clock = ports.clock();
    this.metrics = ports.metrics();
    this.runner = runner;
    this.pause = pause;
    this.settings = settings;
    this.parker = new Parker(ports);
  }

  /**
   * A notice has arrived. Its pending queue is taken away. One that is far too early, which happens
   * when clocks differ, is parked again for the rest of its time.
   *
   * @return when {@link #fire} is to be called; empty when the delivery is dealt with
   */
  public Optional<Instant> arrived(Delivery delivery) {
    Notice notice = delivery.notice();
    pending.remove(List.of(notice.queue()));
    Duration early = Duration.between(clock.instant(), notice.runAt());
    if (early.compareTo(settings.longestHold()) <= 0) {
      return Optional.of(notice.runAt());
    }
    metrics.noticeDropped("too-early");
    if (pending.park(List.of(notice)).get(0) instanceof ParkAnswer.NotParked notParked) {
      log.warn(
          "notice {} came {} early and could not be parked again ({}); a sweep will see to it",
          notice,
          early,
          notParked.reason());
    }
    delivery.ack();
    return Optional.empty();
  }

  /**
   * Does what the notice asks for, if it is still wanted. Call it at the notice's time, not before.
   *
   * <p>If the store fails before an attempt has started, its exception comes out and the delivery
   * is not answered: call this again later with the same delivery.
   *
   * @throws InterruptedException when the process stops and an attempt that has ended could not be
   *     recorded: the end of its lease will be seen by a sweep
   */
  public void fire(Delivery delivery) throws InterruptedException {
    ClaimAnswer answer = claim(delivery.notice());
    if (answer instanceof Won won) {
      run(won, delivery);
    } else if (answer instanceof Passed passed) {
      metrics.noticeDropped("passed");
      if (delivery.isRedelivered()) {
        // whoever had it before may have died between recording the outcome and parking the next
        parker.park(List.of(passed.task()));
      }
    } else {
      metrics.noticeDropped(answer instanceof Held ? "held" : "gone");
      log.debug(
          "notice {} dropped: {}", delivery.notice(), answer instanceof Gone ? "gone" : "held");
    }
    delivery.ack();
  }

  private ClaimAnswer claim(Notice notice) {
    String claimId = settings.worker() + "/" + claims.incrementAndGet();
    ClaimRequest request = new ClaimRequest(notice, settings.worker(), claimId);
    return store.claim(List.of(request), clock.instant(), settings.lease()).get(0);
  }

  private void run(Won won, Delivery delivery) throws InterruptedException {
    Task task = won.task();
    SubTask live = task.live().orElseThrow();
    Instant started = live.run().orElseThrow().startedAt();
    metrics.attemptStarted(live.run().orElseThrow().lateness());
    if (task.definition().timeout().compareTo(settings.ackEarlyFrom()) >= 0) {
      delivery.ack();
    }
    Outcome outcome = runner.run(won);
    Optional<Task> advanced = advance(task, won.claim(), outcome);
    metrics.attemptEnded(nameOf(outcome), Duration.between(started, clock.instant()));
    advanced.ifPresent(
        next -> {
          report(task, next, outcome);
          parker.park(List.of(next));
        });
  }

  /** Records the outcome; empty when the claim has been lost. */
  private Optional<Task> advance(Task claimed, Claim claim, Outcome outcome)
      throws InterruptedException {
    Task task = claimed;
    while (true) {
      try {
        Task next = chain.complete(task, outcome, clock.instant());
        if (store.exchange(List.of(new Exchange(task, next))).get(0)) {
          return Optional.of(next);
        }
        // somebody has edited, paused or canceled it meanwhile, or the claim is lost
        Optional<Task> current = store.find(claim.task());
        if (current.isEmpty() || !current.get().isHeldBy(claim)) {
          metrics.claimLost();
          log.warn(
              "the outcome of sub-task {} of task {} came too late: claim {} has ended",
              claimed.cursor(),
              claim.task(),
              claim.token());
          return Optional.empty();
        }
        task = current.get();
      } catch (RuntimeException storeAway) {
        log.warn(
            "the outcome of sub-task {} of task {} is not recorded yet; trying again",
            claimed.cursor(),
            claim.task(),
            storeAway);
        pause.await(STORE_PAUSE);
      }
    }
  }

  private static void report(Task before, Task after, Outcome outcome) {
    SubTask live = before.live().orElseThrow();
    if (outcome instanceof Outcome.Failed failed) {
      boolean again =
          after.subTask(live.index()).map(SubTask::status).filter(s -> !s.isFinished()).isPresent();
      log.warn(
          "task {} \"{}\": attempt {} of sub-task {} failed: {}; {}",
          before.id(),
          before.definition().name(),
          live.attempt(),
          live.index(),
          failed.error(),
          again
              ? "another follows at " + after.live().map(SubTask::runAt).orElseThrow()
              : "no attempt is left");
    } else {
      log.debug(
          "task {}: attempt {} of sub-task {}: {}",
          before.id(),
          live.attempt(),
          live.index(),
          nameOf(outcome));
    }
    if (after.status() == TaskStatus.FINISHED) {
      log.info(
          "task {} \"{}\" has finished: {}", after.id(), after.definition().name(), after.tally());
    }
  }

  private static String nameOf(Outcome outcome) {
    if (outcome instanceof Outcome.Succeeded) {
      return "succeeded";
    }
    return outcome instanceof Outcome.Failed ? "failed" : "handed-back";
  }
}
