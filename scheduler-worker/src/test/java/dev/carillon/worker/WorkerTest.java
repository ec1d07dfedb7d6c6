package dev.carillon.worker;

import static dev.carillon.worker.Running.GRACE;
import static dev.carillon.worker.Running.LEASE;
import static dev.carillon.worker.Running.settings;
import static dev.carillon.worker.Running.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.ops.StoreClock;
import dev.carillon.store.UnreliableStore;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Concurrency;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import dev.carillon.worker.Running.Run;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180) // what hangs has failed
final class WorkerTest {

  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration MOMENT = Duration.ofMillis(300);

  private final Running carillon = new Running();
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void stop() {
    mayEnd.countDown();
    carillon.close();
  }

  /** Runs until the test, or an interruption, ends it. */
  private void block(Run run) throws InterruptedException {
    mayEnd.await();
  }

  /** Runs until the test ends it, whatever anybody else says. */
  private static void blockRegardless(CountDownLatch mayEnd) {
    boolean ended = false;
    while (!ended) {
      try {
        ended = mayEnd.await(1, TimeUnit.MINUTES);
      } catch (InterruptedException unheeded) {
        ended = false;
      }
    }
  }

  @Test
  void aChainRunsInOrderNeverEarlyEachOnce() {
    carillon.start("one", settings());
    carillon.start("two", settings());

    Task task = carillon.create(SHORT, SHORT, 12);
    carillon.awaitFinished(task);

    List<Run> runs = carillon.runsOf(task);
    assertThat(runs)
        .extracting(Run::key)
        .containsExactlyElementsOf(
            task.subTasks().stream()
                .map(subTask -> SubTask.idempotencyKey(task.id(), subTask.index()))
                .toList());
    for (int i = 0; i < runs.size(); i++) {
      assertThat(runs.get(i).at()).isAfterOrEqualTo(task.subTasks().get(i).dueAt());
      assertThat(runs.get(i).attempt()).isEqualTo(1);
    }
    assertThat(carillon.stored(task).tally().succeeded()).isEqualTo(12);
  }

  @Test
  void whatCouldNotBeParkedOrWasLostIsFoundBySweeping() {
    Task task = carillon.create(Duration.ofSeconds(11), SHORT, 1);
    assertThat(task.live().map(SubTask::status))
        .as("beyond the horizon")
        .contains(SubTaskStatus.SCHEDULED);

    carillon.start("one", settings());

    soon().until(() -> carillon.subTask(task, 0).status() == SubTaskStatus.PENDING);
  }

  @Test
  void noMoreRunThanMayRunAtATime() {
    carillon.work = this::block;
    carillon.start("one", settings(3, 20, LEASE, GRACE));

    List<Task> tasks = carillon.createSeveral(8, SHORT);
    soon().until(() -> carillon.running.get() == 3);
    // the others have been due for as long by now, and would run if they could
    Task later = carillon.create(MOMENT, SHORT, 1);
    soon().until(() -> carillon.clock.instant().isAfter(later.subTasks().get(0).dueAt()));
    assertThat(carillon.running).hasValue(3);

    mayEnd.countDown();
    tasks.forEach(carillon::awaitFinished);
    assertThat(carillon.mostRunning).hasValue(3);
  }

  @Test
  void noMoreWithOneKeyRunThanMayOverAllWorkersAndNoneHoldsUpOthers() {
    carillon.work = this::block;
    carillon.start("one", settings(4, 20, LEASE, GRACE));
    carillon.start("two", settings(4, 20, LEASE, GRACE));

    List<Task> shared = carillon.createShared(12, SHORT, new Concurrency("printer", 2));
    soon().until(() -> carillon.running.get() == 2 && waitInLine(shared) == 10);
    List<Task> others = carillon.createSeveral(6, SHORT); // 8 threads less 2
    soon().until(() -> carillon.running.get() == 8);
    assertThat(shared).filteredOn(task -> !carillon.runsOf(task).isEmpty()).hasSize(2);

    mayEnd.countDown();
    others.forEach(carillon::awaitFinished);
    shared.forEach(carillon::awaitFinished);
    assertThat(shared).allMatch(task -> carillon.runsOf(task).size() == 1);
  }

  private long waitInLine(List<Task> tasks) {
    return tasks.stream().filter(t -> carillon.stored(t).inLineSince().isPresent()).count();
  }

  @Test
  void aWorkerDoesNotTakeMoreThanItsPrefetch() {
    carillon.work = this::block;
    carillon.start("busy", settings(2, 2, LEASE, GRACE));
    carillon.createSeveral(2, SHORT);
    soon().until(() -> carillon.runsBy("busy").size() == 2);

    carillon.start("free", settings(2, 2, LEASE, GRACE));
    carillon.createSeveral(2, SHORT);

    soon().until(() -> carillon.runsBy("free").size() == 2);
  }

  @Test
  void aStoppedWorkerGivesBackAtOnceWhatHasNotStarted() throws Exception {
    carillon.work = this::block;
    Worker first = carillon.start("first", settings(1, 20, LEASE, GRACE));
    List<Task> waiting = carillon.createSeveral(4, SHORT);
    soon().until(() -> carillon.running.get() == 1);
    carillon.start("second", settings(4, 20, LEASE, GRACE));

    Thread stopping = new Thread(first::close);
    stopping.start();

    soon().until(() -> carillon.runsBy("second").size() == 3);
    assertThat(stopping.isAlive()).as("the first has its grace").isTrue();
    mayEnd.countDown();
    stopping.join();
    waiting.forEach(carillon::awaitFinished);
    assertThat(carillon.runs).as("each ran once").hasSize(4);
  }

  @Test
  void whatRunsMayEndWithinTheGrace() throws Exception {
    carillon.work = this::block;
    Worker first = carillon.start("first", settings());
    Task task = carillon.create(SHORT, SHORT, 1);
    soon().until(() -> carillon.running.get() == 1);

    Thread stopping = new Thread(first::close);
    stopping.start();
    soon().until(() -> first.consumerState().isUp() == false);
    mayEnd.countDown();
    stopping.join();

    assertThat(carillon.stored(task).status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(carillon.subTask(task, 0).status()).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(carillon.runs).hasSize(1);
  }

  @Test
  void whatDoesNotEndWithinTheGraceIsRunByAnotherAtOnceAndNotAfterTheLease() {
    carillon.work =
        run -> {
          if (run.worker().equals("first")) {
            block(run);
          }
        };
    Worker first = carillon.start("first", settings(4, 20, LEASE, SHORT));
    Task task = carillon.create(SHORT, SHORT, 1);
    soon().until(() -> carillon.running.get() == 1);
    carillon.start("second", settings());

    Instant told = Instant.now();
    first.close();
    carillon.awaitFinished(task);

    assertThat(Duration.between(told, Instant.now())).isLessThan(LEASE.dividedBy(2));
    assertThat(carillon.runs).extracting(Run::worker).containsExactly("first", "second");
    assertThat(carillon.runs).extracting(Run::attempt).containsExactly(1, 2);
    SubTask subTask = carillon.subTask(task, 0);
    assertThat(subTask.failedAttempts()).as("no failure").isZero();
    assertThat(subTask.lostWorkers()).as("nobody was lost").isZero();
  }

  @Test
  void whatStartsWhileAWorkerStopsIsHandedBackAsWell() {
    UnreliableStore slow = new UnreliableStore(carillon.store);
    CountDownLatch claiming = new CountDownLatch(1);
    CountDownLatch mayClaim = new CountDownLatch(1);
    slow.before(
        Operation.CLAIM,
        () -> {
          claiming.countDown();
          awaitQuietly(mayClaim);
        });
    Worker first = carillon.start("first", settings(4, 20, LEASE, Duration.ZERO), slow);
    Task task = carillon.create(SHORT, SHORT, 1);
    awaitQuietly(claiming);

    Thread stopping = new Thread(first::close);
    stopping.start();
    soon().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
    mayClaim.countDown();
    soon().until(() -> !stopping.isAlive());

    assertThat(carillon.runs).isEmpty();
    assertThat(carillon.subTask(task, 0).status()).isEqualTo(SubTaskStatus.PENDING);
    carillon.start("second", settings());
    carillon.awaitFinished(task);
    assertThat(carillon.runs).extracting(Run::worker).containsExactly("second");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void runsThatHeedNothingDoNotKeepTheirWorkerFromStopping() {
    UnreliableStore seen = new UnreliableStore(carillon.store);
    CountDownLatch secondMayEnd = new CountDownLatch(1);
    Task task = carillon.create(SHORT, SHORT, 1);
    Task other = carillon.create(SHORT, SHORT, 1);
    carillon.work =
        run -> blockRegardless(run.key().startsWith(task.id().value()) ? mayEnd : secondMayEnd);
    Worker worker = carillon.start("one", settings(4, 20, LEASE, Duration.ZERO), seen);
    soon().until(() -> carillon.running.get() == 2);

    worker.close();

    assertThat(carillon.subTask(task, 0).status()).isEqualTo(SubTaskStatus.RUNNING);
    mayEnd.countDown();
    carillon.awaitFinished(task); // what is true is recorded, however late
    seen.goAway();
    secondMayEnd.countDown();
    soon().until(() -> carillon.running.get() == 0);
    assertThat(carillon.subTask(other, 0).status()).isEqualTo(SubTaskStatus.RUNNING);
    // that it is not tried for ever, by a thread that is left, is seen to after each test
  }

  @Test
  void closingAgainDoesNothing() {
    Worker worker = carillon.start("one", settings());
    worker.close();
    worker.close();
    assertThat(worker.consumerState().isUp()).isFalse();
    assertThat(worker.runningCount()).isZero();
  }

  @Test
  void aWorkerThatWasClosedDoesNotStart() {
    Worker worker = carillon.start("one", settings());
    worker.close();

    worker.start();

    assertThat(worker.consumerState().isUp()).isFalse();
  }

  @Test
  void whatCannotBeClaimedSinceTheStoreIsAwayIsTriedAgain() {
    UnreliableStore seen = new UnreliableStore(carillon.store);
    carillon.start("one", settings(), seen);
    seen.fail(Operation.CLAIM);

    Task task = carillon.create(SHORT, SHORT, 1);
    carillon.awaitFinished(task);

    assertThat(seen.calls(Operation.CLAIM)).isEqualTo(2);
    assertThat(carillon.runs).hasSize(1);
  }

  @Test
  void aClaimWithoutAReplyDoesNotCostALease() {
    UnreliableStore seen = new UnreliableStore(carillon.store);
    carillon.start("one", settings(), seen);
    seen.loseReply(Operation.CLAIM);

    Task task = carillon.create(SHORT, SHORT, 1);
    carillon.awaitFinished(task);

    SubTask subTask = carillon.subTask(task, 0);
    assertThat(subTask.attempt()).isEqualTo(1);
    assertThat(subTask.lostWorkers()).isZero();
  }

  @Test
  void aRunThatIsLongerThanItsLeaseRunsOnce() {
    UnreliableStore seen = new UnreliableStore(carillon.store);
    Duration lease = Duration.ofSeconds(6);
    carillon.work = run -> soon().until(() -> seen.calls(Operation.EXTEND) >= 4);
    carillon.start("long", settings(4, 20, lease, GRACE), seen);
    carillon.start("other", settings(4, 20, lease, GRACE));

    Task task = carillon.create(SHORT, SHORT, 1);
    carillon.awaitFinished(task);

    assertThat(carillon.runs).hasSize(1);
    SubTask subTask = carillon.subTask(task, 0);
    SubTask.Run run = subTask.run().orElseThrow();
    assertThat(Duration.between(run.startedAt(), run.finishedAt().orElseThrow()))
        .isGreaterThan(lease);
    assertThat(subTask.lostWorkers()).isZero();
  }

  @Test
  void whatAWorkerRanThatHasLostTheStoreIsTakenOver() {
    UnreliableStore seen = new UnreliableStore(carillon.store);
    Duration lease = Duration.ofMillis(600);
    AtomicBoolean interrupted = new AtomicBoolean();
    carillon.work =
        run -> {
          if (run.worker().equals("lost")) {
            seen.goAway();
            try {
              mayEnd.await();
            } catch (InterruptedException e) {
              interrupted.set(true);
              throw e;
            }
          }
        };
    // takes no other notice, which it could not claim either
    carillon.start("lost", settings(1, 1, lease, Duration.ZERO), seen);
    Task task = carillon.create(SHORT, SHORT, 1);
    soon().until(() -> carillon.runsBy("lost").size() == 1);
    carillon.start("other", settings(4, 20, lease, GRACE));

    carillon.awaitFinished(task);

    soon().untilTrue(interrupted);
    assertThat(carillon.runs).extracting(Run::worker).containsExactly("lost", "other");
    assertThat(carillon.subTask(task, 0).lostWorkers()).isEqualTo(1);
    seen.comeBack();
  }

  /** A local clock that is wrong. */
  private static final class WrongClock implements InstantSource {
    private volatile Duration error;

    WrongClock(Duration error) {
      this.error = error;
    }

    @Override
    public Instant instant() {
      return Instant.now().plus(error);
    }
  }

  private StoreClock startWithWrongClock(String name, WrongClock local) {
    StoreClock clock = Running.clock(local);
    carillon.start(name, settings(), carillon.store, clock);
    return clock;
  }

  @Test
  void workersWhoseClocksAreMinutesOffRunEverythingOnceAndNeverEarly() {
    startWithWrongClock("ahead", new WrongClock(Duration.ofMinutes(4)));
    startWithWrongClock("behind", new WrongClock(Duration.ofMinutes(-4)));

    Task task = carillon.create(SHORT, SHORT, 12);
    carillon.awaitFinished(task);

    List<Run> runs = carillon.runsOf(task);
    assertThat(runs).hasSize(12);
    for (int i = 0; i < runs.size(); i++) {
      assertThat(runs.get(i).at()).isAfterOrEqualTo(task.subTasks().get(i).dueAt());
      assertThat(runs.get(i).attempt()).isEqualTo(1);
    }
  }

  @Test
  void aWorkerWhoseClockIsMinutesAheadDoesNotTakeOverHealthyLeases() {
    carillon.work = this::block;
    carillon.start("right", settings());
    Task task = carillon.create(SHORT, SHORT, 1);
    soon().until(() -> carillon.running.get() == 1);
    UnreliableStore seen = new UnreliableStore(carillon.store);
    StoreClock ahead = Running.clock(new WrongClock(LEASE.multipliedBy(4)));
    carillon.start("ahead", settings(), seen, ahead);

    soon().until(() -> seen.calls(Operation.OVERDUE) >= 5);
    mayEnd.countDown();
    carillon.awaitFinished(task);

    assertThat(carillon.runs).extracting(Run::worker).containsExactly("right");
    assertThat(carillon.subTask(task, 0).lostWorkers()).isZero();
  }

  @Test
  void aWorkerWhoseClockIsSetLeavesEverythingToOthersUntilItHasComparedIt() {
    WrongClock local = new WrongClock(Duration.ZERO);
    StoreClock clock = Running.clock(local);
    UnreliableStore seen = new UnreliableStore(carillon.store);
    Worker worker = carillon.start("set", settings(), seen, clock);
    soon().until(() -> worker.consumerState().isUp());

    local.error = Duration.ofMinutes(10);

    soon().until(() -> !worker.consumerState().isUp());
    int sweeps = seen.calls(Operation.OVERDUE);
    carillon.start("right", settings());
    Task task = carillon.create(SHORT, SHORT, 5);
    carillon.awaitFinished(task);
    assertThat(carillon.runs).extracting(Run::worker).containsOnly("right");
    assertThat(seen.calls(Operation.OVERDUE)).as("sweeps").isLessThanOrEqualTo(sweeps + 1);
    assertThat(seen.calls(Operation.CLAIM)).isZero();

    clock.refresh();
    soon().until(() -> worker.consumerState().isUp());
  }

  @Test
  void beforeAWorkerHasComparedItsClockItDoesNothing() {
    StoreClock clock =
        new StoreClock(InstantSource.system(), Instant::now, StoreClock.DEFAULT_LIMIT);
    UnreliableStore seen = new UnreliableStore(carillon.store);
    Worker worker = carillon.start("one", settings(), seen, clock);
    Task task = carillon.create(SHORT, SHORT, 1);
    Task parkedLater = carillon.create(Duration.ofSeconds(10).plus(SHORT), SHORT, 1);
    assertThat(parkedLater.live().map(SubTask::status)).contains(SubTaskStatus.SCHEDULED);
    Instant armedFrom = parkedLater.wakeAt().orElseThrow();
    soon().until(() -> carillon.clock.instant().isAfter(armedFrom.plus(MOMENT)));

    assertThat(worker.consumerState().isUp()).isFalse();
    assertThat(seen.calls(Operation.CLAIM)).isZero();
    assertThat(seen.calls(Operation.OVERDUE)).isZero();
    assertThat(carillon.subTask(parkedLater, 0).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    clock.refresh();

    carillon.awaitFinished(task);
    soon().until(() -> carillon.subTask(parkedLater, 0).status() == SubTaskStatus.PENDING);
  }

  @Test
  void whatEndsWhileTheClockCannotBeReliedOnIsRecordedAndTheNextIsLeftToOthers() {
    WrongClock local = new WrongClock(Duration.ZERO);
    startWithWrongClock("set", local);
    carillon.work = this::block;
    Task task = carillon.create(SHORT, SHORT, 2);
    soon().until(() -> carillon.running.get() == 1);

    local.error = Duration.ofMinutes(-10);
    mayEnd.countDown();

    soon().until(() -> carillon.subTask(task, 0).status() == SubTaskStatus.SUCCEEDED);
    soon().until(() -> carillon.subTask(task, 1).status() == SubTaskStatus.SCHEDULED);
    carillon.start("right", settings());
    carillon.awaitFinished(task);
    assertThat(carillon.runs).extracting(Run::worker).containsExactly("set", "right");
    assertThat(carillon.runs).extracting(Run::attempt).containsExactly(1, 1);
  }

  @Test
  void anAttemptThatTakesTooLongIsInterruptedAndMadeAgain() {
    carillon.work =
        run -> {
          if (run.attempt() == 1) {
            block(run);
          }
        };
    carillon.start("one", settings());

    Task task = carillon.create(SHORT, SHORT, 1, Duration.ofMillis(100));
    carillon.awaitFinished(task);

    SubTask subTask = carillon.subTask(task, 0);
    assertThat(subTask.status()).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(subTask.attempt()).isEqualTo(2);
    assertThat(subTask.failedAttempts()).isEqualTo(1);
  }
}
