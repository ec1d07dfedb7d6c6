package dev.carillon.worker;

import static dev.carillon.worker.Running.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.Notice;
import dev.carillon.schedule.QuickSchedules;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.store.UnreliableStore;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Action;
import dev.carillon.task.Chain;
import dev.carillon.task.Lease;
import dev.carillon.task.Outcome;
import dev.carillon.task.Outcome.Failed;
import dev.carillon.task.Outcome.HandedBack;
import dev.carillon.task.Outcome.Succeeded;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.Tasks;
import dev.carillon.worker.action.ActionHandler;
import dev.carillon.worker.action.ActionHandler.Attempt;
import dev.carillon.worker.action.ActionHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180) // what hangs has failed
final class AttemptRunnerTest {

  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private final InstantSource clock = () -> Instant.now().truncatedTo(ChronoUnit.MILLIS);
  private final MemoryTaskStore memory = new MemoryTaskStore(clock);
  private final UnreliableStore store = new UnreliableStore(memory);
  private final Chain chain =
      new Chain(Tasks.parking(Duration.ofHours(24)), Chain.Settings.DEFAULT);
  private final Random random = new Random(5);
  private final ExecutorService threads = Executors.newSingleThreadExecutor();
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final List<Attempt> attempts = new ArrayList<>();
  private AttemptRunner runner;

  /** What the action does. */
  private interface Work {
    Outcome run() throws InterruptedException;
  }

  private volatile Work work = Succeeded::new;

  private void start(Duration lease) {
    ActionHandler<Action.Log> log =
        (action, attempt) -> {
          attempts.add(attempt);
          started.countDown();
          return work.run();
        };
    runner = new AttemptRunner(store, clock, lease, new ActionHandlers(log, null, null, null));
    runner.start();
  }

  @AfterEach
  void stop() {
    mayEnd.countDown();
    runner.close();
    threads.shutdownNow();
  }

  private Outcome block() throws InterruptedException {
    mayEnd.await();
    return new Succeeded();
  }

  private Outcome blockRegardless() {
    while (true) {
      try {
        if (mayEnd.await(1, TimeUnit.MINUTES)) {
          return new Succeeded();
        }
      } catch (InterruptedException unheeded) {
        Thread.interrupted();
      }
    }
  }

  /** A sub-task that is due and claimed now. */
  private Won won(Duration timeout, Duration lease) {
    Instant now = clock.instant();
    TaskDefinition definition =
        TaskDefinition.builder(
                "task", QuickSchedules.every(Duration.ofHours(1), now, 2), new Action.Log())
            .timeout(timeout)
            .build();
    Task task =
        chain.create(TaskId.create(now, random), definition, now.minusMillis(1)).orElseThrow();
    memory.insert(task);
    ClaimRequest request = new ClaimRequest(Notice.of(task).orElseThrow(), "worker", "claim");
    return (Won) memory.claim(List.of(request), now, lease).get(0);
  }

  private CompletableFuture<Outcome> run(Won won) {
    return CompletableFuture.supplyAsync(() -> runner.run(won), threads);
  }

  private CompletableFuture<Outcome> runStarted(Won won) throws InterruptedException {
    CompletableFuture<Outcome> outcome = run(won);
    started.await();
    return outcome;
  }

  private void assertThatTheThreadIsNotInterrupted() {
    assertThat(
            CompletableFuture.supplyAsync(() -> Thread.currentThread().isInterrupted(), threads)
                .join())
        .isFalse();
  }

  @Test
  void theOutcomeIsWhatTheHandlerSays() {
    start(LEASE);
    assertThat(run(won(TIMEOUT, LEASE)).join()).isEqualTo(new Succeeded());

    work = () -> new Failed("no answer", false);
    assertThat(run(won(TIMEOUT, LEASE)).join()).isEqualTo(new Failed("no answer", false));
    assertThat(runner.runningCount()).isZero();
  }

  @Test
  void theHandlerIsToldWhatItNeedsToKnow() {
    start(LEASE);
    Won won = won(TIMEOUT, LEASE);

    run(won).join();

    Attempt attempt = attempts.get(0);
    assertThat(attempt.taskName()).isEqualTo("task");
    assertThat(attempt.idempotencyKey()).isEqualTo(won.task().id() + "_0");
    assertThat(attempt.timeout()).isEqualTo(TIMEOUT);
    assertThat(attempt.headers())
        .containsOnly(
            Map.entry("X-Carillon-Task-Id", won.task().id().value()),
            Map.entry("X-Carillon-Index", "0"),
            Map.entry("X-Carillon-Attempt", "1"),
            Map.entry("X-Carillon-Due-At", won.task().subTasks().get(0).dueAt().toString()),
            Map.entry("X-Carillon-Fencing-Token", String.valueOf(won.claim().token())));
  }

  @Test
  void anAttemptThatTakesTooLongIsInterruptedAndHasFailed() {
    start(LEASE);
    work = this::block;
    Duration timeout = Duration.ofMillis(100);

    Outcome outcome = run(won(timeout, LEASE)).join();

    assertThat(outcome).isEqualTo(new Failed("took longer than its timeout of PT0.1S", true));
    assertThatTheThreadIsNotInterrupted();
  }

  @Test
  void aHandlerThatSaysOtherwiseWhenInterruptedHasFailedForItsTimeout() {
    start(LEASE);
    work =
        () -> {
          try {
            return block();
          } catch (InterruptedException e) {
            throw new IllegalStateException("the driver was interrupted", e);
          }
        };

    Outcome outcome = run(won(Duration.ofMillis(100), LEASE)).join();

    assertThat(outcome).isEqualTo(new Failed("took longer than its timeout of PT0.1S", true));
  }

  @Test
  void aHandlerThatFailsWhenItIsStoppedHasNotFailedButIsHandedBack() throws Exception {
    start(LEASE);
    work =
        () -> {
          try {
            return block();
          } catch (InterruptedException e) {
            return new Failed("was interrupted", true);
          }
        };
    CompletableFuture<Outcome> outcome = runStarted(won(TIMEOUT, LEASE));

    runner.handBack();

    assertThat(outcome.join()).isEqualTo(new HandedBack());
  }

  @Test
  void aHandlerThatSucceedsAlthoughItWasInterruptedHasSucceeded() throws Exception {
    start(LEASE);
    work = this::blockRegardless;
    CompletableFuture<Outcome> outcome = runStarted(won(Duration.ofMillis(100), LEASE));
    runner.handBack();

    mayEnd.countDown();

    assertThat(outcome.join()).isEqualTo(new Succeeded());
    assertThatTheThreadIsNotInterrupted();
  }

  @Test
  void noAttemptIsInterruptedForTheDeadlineOfTheOneBefore() throws Exception {
    start(LEASE);
    Duration timeout = Duration.ofMillis(200);
    run(won(timeout, LEASE)).join();
    Instant deadline = clock.instant().plus(timeout);
    work = this::block;

    CompletableFuture<Outcome> next = run(won(TIMEOUT, LEASE));
    soon().until(() -> clock.instant().isAfter(deadline.plusMillis(50)));

    assertThat(next).isNotDone();
    mayEnd.countDown();
    assertThat(next.join()).isEqualTo(new Succeeded());
  }

  @Test
  void noThreadStaysInterruptedHoweverOftenItIs() {
    start(LEASE);
    work =
        () -> {
          Thread.currentThread().interrupt(); // as a library may do that gives up
          throw new IllegalStateException("given up");
        };
    for (int i = 0; i < 3; i++) {
      run(won(TIMEOUT, LEASE)).join();
      assertThatTheThreadIsNotInterrupted();
    }
  }

  @Test
  void whatTheHandlerThrowsIsTheError() {
    start(LEASE);
    work =
        () -> {
          throw new IllegalArgumentException("cannot be done");
        };

    assertThat(run(won(TIMEOUT, LEASE)).join())
        .isEqualTo(new Failed("java.lang.IllegalArgumentException: cannot be done", true));
  }

  @Test
  void evenAnErrorOfTheHandlerIsAnOutcome() {
    start(LEASE);
    work =
        () -> {
          throw new StackOverflowError();
        };

    assertThat(run(won(TIMEOUT, LEASE)).join())
        .isEqualTo(new Failed("java.lang.StackOverflowError", true));
  }

  @Test
  void leasesAreExtendedTogetherWhileAttemptsRun() throws Exception {
    Duration lease = Duration.ofSeconds(1);
    start(lease);
    work = this::block;
    Won won = won(TIMEOUT, lease);
    Instant firstEnd = leaseOf(won).until();
    CompletableFuture<Outcome> outcome = runStarted(won);

    soon().until(() -> leaseOf(won).until().isAfter(firstEnd));
    assertThat(outcome).isNotDone();

    mayEnd.countDown();
    assertThat(outcome.join()).isEqualTo(new Succeeded());
  }

  private Lease leaseOf(Won won) {
    return memory.find(won.task().id()).orElseThrow().leases().get(0);
  }

  private boolean takeOver(TaskId id) {
    Task task = memory.find(id).orElseThrow();
    Task takenOver = chain.wake(task, task.leases().get(0).until());
    return memory.exchange(List.of(new Exchange(task, takenOver))).get(0);
  }

  @Test
  void anAttemptWhoseClaimIsLostIsInterrupted() throws Exception {
    Duration lease = Duration.ofMillis(900);
    start(lease);
    work = this::block;
    Won won = won(TIMEOUT, lease);
    CompletableFuture<Outcome> outcome = runStarted(won);

    // on a busy machine the lease may be extended in between, which makes an exchange fail
    soon().until(() -> takeOver(won.task().id()));

    assertThat(outcome.join()).isEqualTo(new HandedBack());
    assertThatTheThreadIsNotInterrupted();
  }

  @Test
  void whileTheHeartbeatFailsAttemptsGoOnUntilTheirLeasesEnd() throws Exception {
    Duration lease = Duration.ofMillis(900);
    start(lease);
    work = this::block;
    store.goAway();
    Won won = won(TIMEOUT, lease);
    CompletableFuture<Outcome> outcome = runStarted(won);

    assertThat(outcome.join()).isEqualTo(new HandedBack());

    assertThat(store.calls(Operation.EXTEND)).isGreaterThan(1);
    assertThat(clock.instant()).isAfterOrEqualTo(won.task().wakeAt().orElseThrow());
  }

  @Test
  void aLeaseEndsEvenIfTheHeartbeatHangs() throws Exception {
    Duration lease = Duration.ofMillis(600);
    start(lease);
    work = this::block;
    CountDownLatch storeAnswers = new CountDownLatch(1);
    store.before(
        Operation.EXTEND,
        () -> {
          try {
            storeAnswers.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });

    Outcome outcome = runStarted(won(TIMEOUT, lease)).join();

    assertThat(outcome).isEqualTo(new HandedBack());
    storeAnswers.countDown();
  }

  @Test
  void aHeartbeatThatFailsOnceIsFollowedByOthers() throws Exception {
    Duration lease = Duration.ofMillis(1_500);
    start(lease);
    work = this::block;
    store.before(
        Operation.EXTEND,
        () -> {
          throw new NoClassDefFoundError("half an installation");
        });
    CompletableFuture<Outcome> outcome = runStarted(won(TIMEOUT, lease));

    soon().until(() -> store.calls(Operation.EXTEND) >= 4);

    assertThat(outcome).isNotDone();
    mayEnd.countDown();
    assertThat(outcome.join()).isEqualTo(new Succeeded());
  }

  @Test
  void anAttemptWhoseLeaseIsOverAlreadyDoesNotBegin() {
    start(LEASE);
    Won won = won(TIMEOUT, LEASE);
    InstantSource later = () -> Instant.now().plus(LEASE);
    AttemptRunner late =
        new AttemptRunner(
            store,
            later,
            LEASE,
            new ActionHandlers(
                (action, attempt) -> {
                  throw new AssertionError("has begun");
                },
                null,
                null,
                null));

    assertThat(CompletableFuture.supplyAsync(() -> late.run(won), threads).join())
        .isEqualTo(new HandedBack());
    assertThatTheThreadIsNotInterrupted();
    late.close();
  }

  @Test
  void nothingBeginsOnceItIsHandedBack() {
    start(LEASE);
    runner.handBack();

    assertThat(run(won(TIMEOUT, LEASE)).join()).isEqualTo(new HandedBack());

    assertThat(attempts).isEmpty();
    assertThatTheThreadIsNotInterrupted();
  }

  @Test
  void nothingBeginsOnceItIsClosed() {
    start(LEASE);
    runner.close();

    assertThat(run(won(TIMEOUT, LEASE)).join()).isEqualTo(new HandedBack());

    assertThat(attempts).isEmpty();
  }
}
