package dev.carillon.flow;

import dev.carillon.ops.OutageLog;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.SparingLog;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.ClaimAnswer.Gone;
import dev.carillon.store.ClaimAnswer.Held;
import dev.carillon.store.ClaimAnswer.Open;
import dev.carillon.store.ClaimAnswer.Passed;
import dev.carillon.store.ClaimAnswer.Withdrawn;
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

  /**
   * A notice on its way to its attempt.
   *
   * @param claimId what its claim is called: of its own, and the same however often it is tried
   * @param fireAt when {@link #fire} is to be called, not before
   */
  public record Arrival(Delivery delivery, String claimId, Instant fireAt) {}

  private static final Logger log = LoggerFactory.getLogger(Firing.class);
  private static final Duration STORE_PAUSE = Duration.ofMillis(500);

  private final OutageLog recording = new OutageLog(log, "record what has run");
  private final SparingLog notParkedLog = new SparingLog(log);
  private final TaskStore store;
  private final PendingQueues pending;
  private final Chain chain;
  private final InstantSource clock;
  private final Pause pause;
  private final Runner runner;
  private final SchedulerMetrics metrics;
  private final Settings settings;
  private final Parker parker;
  private final Line line;
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
    this.line = new Line(ports);
  }

  /**
   * A notice has arrived: its pending queue is taken away. Returns at once.
   *
   * @return what {@link #fire} is to be called with, and when
   */
  public Arrival arrived(Delivery delivery) {
    Notice notice = delivery.notice();
    pending.remove(List.of(notice.queue()));
    Instant now = clock.instant();
    Duration early = Duration.between(now, notice.runAt());
    boolean isHeld = early.compareTo(settings.longestHold()) <= 0;
    String claimId = settings.worker() + "/" + claims.incrementAndGet();
    return new Arrival(delivery, claimId, isHeld ? notice.runAt() : now);
  }

  /**
   * Does what the notice asks for, if it is still wanted. A notice whose time has not come, which
   * happens when clocks differ or are set, is parked again for the rest of it.
   *
   * <p>If the store fails before an attempt has started, its exception comes out and the delivery
   * is not answered: call this again later with the same arrival. A claim that was taken although
   * the store seemed to fail is found again then.
   *
   * @param attemptIsOver is run when an attempt is over, before its outcome is recorded
   * @throws InterruptedException when the process stops and an attempt that has ended could not be
   *     recorded: the end of its lease will be seen by a sweep
   */
  public void fire(Arrival arrival, Runnable attemptIsOver) throws InterruptedException {
    Delivery delivery = arrival.delivery();
    Instant now = clock.instant();
    if (now.isBefore(delivery.notice().runAt())) {
      parkAgain(delivery.notice(), now);
      delivery.ack();
      return;
    }
    Optional<ClaimAnswer> answer = Optional.of(claim(arrival, now));
    while (answer.isPresent() && answer.get() instanceof Open open) {
      answer = begin(arrival, open.task(), now);
    }
    if (answer.isPresent()) {
      heed(answer.get(), delivery, attemptIsOver);
    } else {
      metrics.noticeDropped("in-line");
    }
    delivery.ack();
  }

  private void heed(ClaimAnswer answer, Delivery delivery, Runnable attemptIsOver)
      throws InterruptedException {
    if (answer instanceof Won won) {
      Outcome outcome = run(won, delivery);
      attemptIsOver.run();
      conclude(won, outcome);
    } else if (answer instanceof Passed passed) {
      metrics.noticeDropped("passed");
      if (delivery.isRedelivered()) {
        // whoever had it before may have died between recording the outcome and parking the next
        parker.park(List.of(passed.task()));
      }
    } else if (answer instanceof Withdrawn withdrawn) {
      metrics.noticeDropped("gone");
      conclude(withdrawn.held(), new Outcome.Withdrawn());
    } else {
      metrics.noticeDropped(answer instanceof Held ? "held" : "gone");
      log.debug(
          "notice {} dropped: {}", delivery.notice(), answer instanceof Gone ? "gone" : "held");
    }
  }

  private void parkAgain(Notice notice, Instant now) {
    metrics.noticeDropped("too-early");
    if (pending.park(List.of(notice)).get(0) instanceof ParkAnswer.NotParked notParked) {
      metrics.notParked();
      notParkedLog.warn(
          "notice {} came {} early and could not be parked again ({}); a sweep will see to it",
          notice,
          Duration.between(now, notice.runAt()),
          notParked.reason());
    }
  }

  private ClaimAnswer claim(Arrival arrival, Instant now) {
    return store.claim(List.of(request(arrival)), now, settings.lease()).get(0);
  }

  private ClaimRequest request(Arrival arrival) {
    return new ClaimRequest(arrival.delivery().notice(), settings.worker(), arrival.claimId());
  }

  /**
   * Claims a sub-task whose start changes more than that, and parks what may start beside it.
   *
   * @return empty when it waits in line for its concurrency key
   */
  private Optional<ClaimAnswer> begin(Arrival arrival, Task task, Instant now) {
    Claim claim = request(arrival).claim();
    Instant leaseUntil = now.plus(settings.lease());
    Task begun = chain.begin(task, claim, now, leaseUntil);
    if (begun.isHeldBy(claim) && !line.mayStart(task, claim, now, leaseUntil)) {
      return line.join(task, now) ? Optional.empty() : Optional.of(claim(arrival, now));
    }
    if (!store.exchange(List.of(new Exchange(task, begun))).get(0)) {
      ClaimAnswer answer = claim(arrival, now);
      if (!(answer instanceof Won)) { // else it was exchanged after all, by a try of before
        line.leave(task, claim);
      }
      return Optional.of(answer);
    }
    if (begun.token() != task.token()) {
      parker.park(List.of(begun));
    }
    if (begun.isHeldBy(claim)) {
      return Optional.of(new Won(begun, claim));
    }
    log.warn(
        "task {} \"{}\": sub-task {} is not run any more; {} are skipped",
        task.id(),
        task.definition().name(),
        arrival.delivery().notice().index(),
        begun.tally().skipped() - task.tally().skipped());
    return Optional.of(new Passed(begun));
  }

  private Outcome run(Won won, Delivery delivery) {
    Task task = won.task();
    if (Chain.isToBeSkipped(task)) {
      metrics.noticeDropped("missed");
      return new Outcome.Missed();
    }
    SubTask.Run run = won.subTask().run().orElseThrow();
    metrics.attemptStarted(run.lateness());
    if (task.definition().timeout().compareTo(settings.ackEarlyFrom()) >= 0) {
      delivery.ack();
    }
    Outcome outcome = runner.run(won);
    metrics.attemptEnded(nameOf(outcome), Duration.between(run.startedAt(), clock.instant()));
    return outcome;
  }

  /** Records the outcome, which ends the claim, and parks what comes next. */
  private void conclude(Won won, Outcome outcome) throws InterruptedException {
    try {
      Optional<Recorded> recorded = advance(won, outcome);
      if (recorded.isPresent()) {
        Task next = recorded.get().after();
        report(won, next, outcome);
        if (next.token() != recorded.get().before().token()) { // else it was parked before
          parker.park(List.of(next));
        }
      }
      line.leave(won.task(), won.claim());
    } catch (RuntimeException | Error e) {
      // must not come out: the notice would be fired, and the attempt made, once more
      log.error(
          "what comes after sub-task {} of task {} could not be decided; a sweep sees to it after"
              + " the lease",
          won.subTask().index(),
          won.task().id(),
          e);
    }
  }

  /** A task before and after the end of an attempt was recorded. */
  private record Recorded(Task before, Task after) {}

  /** Records the outcome; empty when the claim has been lost. */
  private Optional<Recorded> advance(Won won, Outcome outcome) throws InterruptedException {
    Task task = won.task();
    long index = won.subTask().index();
    while (true) {
      Task next = chain.complete(task, won.claim(), outcome, clock.instant());
      Optional<Task> current = exchange(task, next);
      if (current.isPresent() && hasRecorded(current.get(), next, index)) {
        return Optional.of(new Recorded(task, current.get()));
      }
      if (current.isEmpty() || !current.get().isHeldBy(won.claim())) {
        metrics.claimLost();
        log.warn(
            "the outcome of sub-task {} of task {} came too late: claim {} has ended",
            index,
            task.id(),
            won.claim().token());
        return Optional.empty();
      }
      // somebody has edited, paused or canceled it meanwhile
      task = current.get();
    }
  }

  /** Tries to exchange until the store answers; gives the task as it is then. */
  private Optional<Task> exchange(Task task, Task next) throws InterruptedException {
    while (true) {
      try {
        boolean exchanged = store.exchange(List.of(new Exchange(task, next))).get(0);
        Optional<Task> current = exchanged ? Optional.of(next) : store.find(task.id());
        recording.succeeded();
        return current;
      } catch (RuntimeException storeAway) {
        recording.failed(storeAway);
        pause.await(STORE_PAUSE);
      }
    }
  }

  /**
   * Whether a task has the end of the attempt as it was to be recorded, even if it has gone on
   * since. Asked because an exchange whose answer got lost is refused when it is repeated.
   */
  private static boolean hasRecorded(Task current, Task wanted, long index) {
    Optional<SubTask> is = current.subTask(index);
    Optional<SubTask> should = wanted.subTask(index);
    if (is.isEmpty() || should.isEmpty()) { // it may have left the task
      return current.equals(wanted);
    }
    return is.get().run().equals(should.get().run())
        && is.get().lostWorkers() == should.get().lostWorkers(); // more when it was taken over
  }

  private static void report(Won won, Task after, Outcome outcome) {
    Task before = won.task();
    SubTask run = won.subTask();
    if (outcome instanceof Outcome.Failed failed) {
      Optional<SubTask> again =
          after.subTask(run.index()).filter(next -> !next.status().isFinished());
      log.warn(
          "task {} \"{}\": attempt {} of sub-task {} failed: {}; {}",
          before.id(),
          before.definition().name(),
          run.attempt(),
          run.index(),
          failed.error(),
          again.map(next -> "another follows at " + next.runAt()).orElse("it is not tried again"));
    } else if (outcome instanceof Outcome.Missed) {
      log.warn(
          "task {} \"{}\": sub-task {} came {} late; {} missed sub-tasks are skipped",
          before.id(),
          before.definition().name(),
          run.index(),
          run.run().orElseThrow().lateness(),
          after.tally().skipped() - before.tally().skipped());
    } else {
      log.debug(
          "task {}: attempt {} of sub-task {}: {}",
          before.id(),
          run.attempt(),
          run.index(),
          nameOf(outcome));
    }
    if (after.status() == TaskStatus.FINISHED) {
      log.info(
          "task {} \"{}\" has finished: {}",
          after.id(),
          after.definition().name(),
          after.tally().inWords());
    }
  }

  private static String nameOf(Outcome outcome) {
    if (outcome instanceof Outcome.Succeeded) {
      return "succeeded";
    }
    if (outcome instanceof Outcome.Missed) {
      return "missed";
    }
    if (outcome instanceof Outcome.Withdrawn) {
      return "withdrawn before it began";
    }
    return outcome instanceof Outcome.Failed ? "failed" : "handed-back";
  }
}
