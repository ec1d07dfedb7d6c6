package dev.carillon.worker;

import dev.carillon.flow.Runner;
import dev.carillon.ops.OutageLog;
import dev.carillon.ops.Threads;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.Permits.Permit;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.worker.RunningAttempt.GivenUp;
import dev.carillon.worker.action.ActionHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs attempts on the threads that call it: with a deadline, and with a heartbeat that extends the
 * leases of all claims together. An attempt whose lease could not be extended in time is
 * interrupted, since from then on somebody else may run it. Thread-safe.
 */
final class AttemptRunner implements Runner, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(AttemptRunner.class);

  private final OutageLog extending = new OutageLog(log, "extend the leases of running sub-tasks");
  private final TaskStore store;
  private final InstantSource clock;
  private final Duration lease;
  private final ActionHandlers handlers;
  private final Set<RunningAttempt> running = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService heartbeat = timer("heartbeat");
  private final ScheduledExecutorService deadlines = timer("deadlines");
  private volatile boolean stopping;

  AttemptRunner(TaskStore store, InstantSource clock, Duration lease, ActionHandlers handlers) {
    this.store = store;
    this.clock = clock;
    this.lease = lease;
    this.handlers = handlers;
  }

  void start() {
    long beat = lease.toMillis() / 3;
    Future<?> unused =
        heartbeat.scheduleWithFixedDelay(this::beat, beat, beat, TimeUnit.MILLISECONDS);
  }

  int runningCount() {
    return running.size();
  }

  @Override
  public Outcome run(Won won) {
    Instant leaseUntil = won.subTask().run().orElseThrow().startedAt().plus(lease);
    Optional<Permit> permit =
        won.task().definition().concurrency().map(shared -> new Permit(shared.key(), won.claim()));
    RunningAttempt attempt =
        new RunningAttempt(won.claim(), permit, Thread.currentThread(), leaseUntil);
    Duration timeout = won.task().definition().timeout();
    AttemptWatch watch = AttemptWatch.over(attempt, timeout, clock, deadlines);
    running.add(attempt);
    Optional<Outcome> outcome = Optional.empty();
    Optional<GivenUp> givenUp;
    try {
      if (stopping) { // looked at after the attempt can be seen: it is not missed by both sides
        attempt.giveUp(GivenUp.STOPPING);
      }
      if (Thread.interrupted()) { // given up before it has begun
        throw new InterruptedException();
      }
      outcome = Optional.of(handle(won));
    } catch (InterruptedException e) {
      log.debug("{} was interrupted", won.claim(), e);
      Thread.currentThread().interrupt(); // taken note of when the attempt ends
    } finally {
      givenUp = attempt.end();
      running.remove(attempt);
      watch.close();
    }
    if (givenUp.filter(why -> why == GivenUp.CLAIM_LOST).isPresent()) {
      log.warn(
          "task {}: attempt {} of sub-task {} was interrupted: its lease could not be extended in"
              + " time",
          won.task().id(),
          won.subTask().attempt(),
          won.subTask().index());
    }
    // success is success, but a failure of an interrupted attempt comes from its interruption
    return outcome
        .filter(how -> givenUp.isEmpty() || how instanceof Outcome.Succeeded)
        .orElseGet(() -> outcomeOf(givenUp.orElse(GivenUp.STOPPING), timeout));
  }

  private Outcome handle(Won won) throws InterruptedException {
    try {
      return handlers.handle(won);
    } catch (RuntimeException | Error e) { // whatever an action does, its thread goes on
      log.error("the action of task {} threw; the attempt has failed", won.task().id(), e);
      return new Outcome.Failed(e.toString(), true);
    }
  }

  private static Outcome outcomeOf(GivenUp why, Duration timeout) {
    return why == GivenUp.TIMEOUT
        ? new Outcome.Failed("took longer than its timeout of " + timeout, true)
        : new Outcome.HandedBack();
  }

  private void beat() {
    List<RunningAttempt> attempts = List.copyOf(running);
    if (attempts.isEmpty()) {
      return;
    }
    try {
      Instant until = clock.instant().plus(lease);
      extendPermits(attempts, until); // first: no claim must outlive its permit
      List<Claim> claims = new ArrayList<>();
      attempts.forEach(attempt -> claims.add(attempt.claim()));
      List<Boolean> held = store.extend(claims, until);
      extending.succeeded();
      for (int i = 0; i < attempts.size(); i++) {
        if (held.get(i)) {
          attempts.get(i).leaseExtended(until);
        } else {
          attempts.get(i).giveUp(GivenUp.CLAIM_LOST);
        }
      }
    } catch (RuntimeException | Error e) { // or else there would be no other beat
      extending.failed(e);
    }
  }

  private void extendPermits(List<RunningAttempt> attempts, Instant until) {
    List<RunningAttempt> holding =
        attempts.stream().filter(attempt -> attempt.permit().isPresent()).toList();
    if (holding.isEmpty()) {
      return;
    }
    List<Permit> permits = holding.stream().map(attempt -> attempt.permit().get()).toList();
    List<Boolean> held = store.extendPermits(permits, until);
    for (int i = 0; i < holding.size(); i++) {
      if (!held.get(i)) {
        holding.get(i).giveUp(GivenUp.CLAIM_LOST);
      }
    }
  }

  /** Interrupts what still runs, so that it is handed back, and lets nothing else begin. */
  void handBack() {
    stopping = true;
    running.forEach(attempt -> attempt.giveUp(GivenUp.STOPPING));
  }

  @Override
  public void close() {
    handBack();
    heartbeat.shutdownNow();
    deadlines.shutdownNow();
  }

  private static ScheduledExecutorService timer(String name) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, Threads.numbered(name));
    timer.setRemoveOnCancelPolicy(true);
    // after the end nothing has to be watched any more: nothing begins then
    timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    return timer;
  }
}
