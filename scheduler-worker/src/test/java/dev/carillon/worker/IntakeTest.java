package dev.carillon.worker;

import static dev.carillon.worker.Running.GRACE;
import static dev.carillon.worker.Running.LEASE;
import static dev.carillon.worker.Running.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.flow.Firing;
import dev.carillon.flow.Ports;
import dev.carillon.inprocess.InProcessParkedMessages;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.StoreClock;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import dev.carillon.queue.WorkQueue;
import dev.carillon.schedule.QuickSchedules;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.UnreliableStore;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Action;
import dev.carillon.task.Chain;
import dev.carillon.task.Outcome;
import dev.carillon.task.Priority;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.worker.action.ActionHandler;
import dev.carillon.worker.action.ActionHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How deliveries are held, fired and given back, with a broker's side by hand. */
@Timeout(180) // what hangs has failed
final class IntakeTest {

  private static final Duration LONGEST_HOLD = Duration.ofSeconds(30);

  private volatile Duration localError = Duration.ZERO;
  private final StoreClock clock = Running.clock(() -> Instant.now().plus(localError));
  private final MemoryTaskStore memory = new MemoryTaskStore(clock);
  private final UnreliableStore store = new UnreliableStore(memory);
  private final Broker broker = new Broker();
  private final Random random = new Random(3);
  private final Chain chain = new Chain(broker, Chain.Settings.DEFAULT);
  private final List<String> runs = new CopyOnWriteArrayList<>();
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private volatile boolean blocking;
  private AttemptRunner runner;
  private Intake intake;

  /** Delivers what a test says, and keeps what it was asked to park. */
  private static final class Broker implements WorkQueue, PendingQueues {
    final List<Notice> parked = new CopyOnWriteArrayList<>();
    volatile Consumer<Notice> whenParking = notice -> {};
    volatile Consumer<Delivery> listener;
    volatile boolean subscribed;

    @Override
    public Subscription subscribe(int prefetch, Consumer<Delivery> to) {
      listener = to;
      subscribed = true;
      return new Subscription() {
        @Override
        public boolean isActive() {
          return subscribed;
        }

        @Override
        public void close() {
          subscribed = false;
        }
      };
    }

    Delivered deliver(Notice notice) {
      Delivered delivered = new Delivered(notice);
      listener.accept(delivered);
      return delivered;
    }

    @Override
    public List<ParkAnswer> park(Collection<Notice> notices) {
      List<ParkAnswer> answers = new ArrayList<>();
      for (Notice notice : notices) {
        whenParking.accept(notice);
        parked.add(notice);
        answers.add(new ParkAnswer.Parked());
      }
      return answers;
    }

    @Override
    public void remove(Collection<String> queues) {}

    @Override
    public boolean isAvailable() {
      return true;
    }

    @Override
    public Place placeFor(Arming arming, Instant now) {
      String name = arming.task() + "." + arming.index() + "." + arming.token();
      return new Place.InQueue(name, true);
    }

    @Override
    public void close() {}
  }

  /** Counts every answer, the superfluous ones as well. */
  private static final class Delivered implements Delivery {
    private final Notice notice;
    final List<String> answers = new CopyOnWriteArrayList<>();

    Delivered(Notice notice) {
      this.notice = notice;
    }

    @Override
    public Notice notice() {
      return notice;
    }

    @Override
    public boolean isRedelivered() {
      return false;
    }

    @Override
    public void ack() {
      answers.add("ack");
    }

    @Override
    public void requeue() {
      answers.add("requeue");
    }
  }

  private void start(int concurrency, Duration grace) {
    ActionHandler<Action.Log> log =
        (action, attempt) -> {
          runs.add(attempt.idempotencyKey());
          if (blocking) {
            mayEnd.await();
          }
          return new Outcome.Succeeded();
        };
    runner = new AttemptRunner(store, clock, LEASE, new ActionHandlers(log, null, null, null));
    Ports ports =
        new Ports(
            store,
            new MemoryTaskKeys(),
            broker,
            new InProcessParkedMessages(clock),
            chain,
            clock,
            SchedulerMetrics.NONE);
    Firing firing =
        new Firing(
            ports,
            runner,
            time -> TimeUnit.NANOSECONDS.sleep(time.toNanos()),
            new Firing.Settings("worker", LEASE, LONGEST_HOLD, Duration.ofMinutes(10)));
    intake =
        new Intake(broker, firing, clock, runner, Running.settings(concurrency, 100, LEASE, grace));
    intake.start();
  }

  @AfterEach
  void stop() {
    mayEnd.countDown();
    intake.close();
    runner.close();
  }

  /** The notice of a new task that fires once, so much later. */
  private Notice notice(Duration delay) {
    return notice(delay, Priority.NORMAL);
  }

  private Notice notice(Duration delay, Priority priority) {
    Instant now = clock.instant();
    TaskDefinition definition =
        TaskDefinition.builder(
                "task",
                QuickSchedules.every(Duration.ofHours(1), now.plus(delay), 1),
                new Action.Log())
            .priority(priority)
            .build();
    Task task =
        chain.create(TaskId.create(now, random), definition, now.minusMillis(1)).orElseThrow();
    memory.insert(task);
    return Notice.of(task).orElseThrow();
  }

  private void awaitRuns(int count) {
    soon().until(() -> runs.size() == count);
  }

  private static void awaitAnswer(Delivered delivered, String answer) {
    soon().untilAsserted(() -> assertThat(delivered.answers).containsExactly(answer));
  }

  @Test
  void aNoticeIsHeldUntilItsTimeAndFired() {
    start(2, GRACE);
    Notice notice = notice(Duration.ofMillis(150));

    Delivered delivered = broker.deliver(notice);
    assertThat(runs).isEmpty();
    awaitAnswer(delivered, "ack");

    assertThat(runs).hasSize(1);
    assertThat(
            memory.find(notice.task()).orElseThrow().subTask(0).orElseThrow().run().orElseThrow())
        .satisfies(run -> assertThat(run.startedAt()).isAfterOrEqualTo(notice.runAt()));
  }

  @Test
  void whatIsHeldAndWhatWaitsForAThreadIsGivenBackOnceWhenStopping() throws Exception {
    blocking = true;
    start(1, GRACE);
    Delivered runsAlready = broker.deliver(notice(Duration.ZERO));
    awaitRuns(1);
    Delivered waits = broker.deliver(notice(Duration.ZERO));
    Delivered isHeld = broker.deliver(notice(Duration.ofSeconds(20)));

    Thread stopping = new Thread(intake::close);
    stopping.start();

    awaitAnswer(waits, "requeue");
    awaitAnswer(isHeld, "requeue");
    assertThat(stopping.isAlive()).as("waits for what runs").isTrue();
    assertThat(runsAlready.answers).isEmpty();
    mayEnd.countDown();
    stopping.join();
    assertThat(runsAlready.answers).containsExactly("ack");
    assertThat(waits.answers).containsExactly("requeue");
    assertThat(isHeld.answers).containsExactly("requeue");
    assertThat(runs).hasSize(1);
  }

  @Test
  void whenThreadsAreShortTheMostUrgentGoFirst() {
    blocking = true;
    start(1, GRACE);
    broker.deliver(notice(Duration.ZERO, Priority.LOW));
    awaitRuns(1);
    List<Notice> inOrder = new ArrayList<>();
    for (Priority priority : List.of(Priority.LOW, Priority.NORMAL, Priority.HIGH)) {
      Notice later = notice(Duration.ZERO, priority);
      soon().until(() -> clock.instant().isAfter(later.runAt()));
      Notice latest = notice(Duration.ZERO, priority);
      broker.deliver(latest);
      broker.deliver(later);
      inOrder.add(0, latest);
      inOrder.add(0, later);
    }

    blocking = false;
    mayEnd.countDown();

    awaitRuns(7);
    assertThat(runs.subList(1, 7))
        .isEqualTo(inOrder.stream().map(n -> SubTask.idempotencyKey(n.task(), 0)).toList());
  }

  @Test
  void whatArrivesAfterStoppingIsGivenBack() {
    start(2, GRACE);
    intake.close();

    Delivered due = broker.deliver(notice(Duration.ZERO));
    Delivered early = broker.deliver(notice(Duration.ofSeconds(5)));
    Delivered farTooEarly = broker.deliver(notice(Duration.ofHours(1)));

    assertThat(due.answers).containsExactly("requeue");
    assertThat(early.answers).containsExactly("requeue");
    assertThat(farTooEarly.answers).containsExactly("requeue");
    assertThat(runs).isEmpty();
  }

  @Test
  void whatArrivesWhileStoppingIsAnsweredOnce() throws Exception {
    start(4, GRACE);
    int count = 2_000;
    List<Notice> notices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      notices.add(notice(Duration.ofMillis(i % 3 == 0 ? 0 : i / 20)));
    }
    List<Delivered> delivered = new CopyOnWriteArrayList<>();
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    Thread delivering =
        new Thread(
            () -> {
              try {
                notices.forEach(notice -> delivered.add(broker.deliver(notice)));
              } catch (RuntimeException e) {
                thrown.add(e);
              }
            });
    delivering.start();
    soon().until(() -> delivered.size() > count / 4);

    intake.close();
    delivering.join();

    assertThat(thrown).isEmpty();
    assertThat(delivered).hasSize(count);
    soon()
        .untilAsserted(
            () -> assertThat(delivered).allSatisfy(d -> assertThat(d.answers).hasSize(1)));
    long acknowledged = delivered.stream().filter(d -> d.answers.contains("ack")).count();
    assertThat(acknowledged).isEqualTo(runs.size());
  }

  @Test
  void aNoticeThatIsDeliveredAgainWhileItIsHeldFiresOnceForBoth() {
    start(2, GRACE);
    Notice notice = notice(Duration.ofMillis(300));

    Delivered first = broker.deliver(notice);
    Delivered second = broker.deliver(notice);

    assertThat(first.answers).as("its place is taken").containsExactly("ack");
    awaitAnswer(second, "ack");
    assertThat(runs).hasSize(1);
    assertThat(store.calls(Operation.CLAIM)).isEqualTo(1);
  }

  @Test
  void aNoticeThatIsDeliveredAgainWhileItRunsDies() {
    blocking = true;
    start(2, GRACE);
    Notice notice = notice(Duration.ZERO);
    Delivered first = broker.deliver(notice);
    awaitRuns(1);

    Delivered second = broker.deliver(notice);

    awaitAnswer(second, "ack");
    assertThat(first.answers).isEmpty();
    mayEnd.countDown();
    awaitAnswer(first, "ack");
    assertThat(runs).hasSize(1);
  }

  @Test
  void aNoticeThatIsDeliveredAgainWhileItsClaimFailsIsTriedOnceMoreForBoth() {
    start(1, GRACE);
    Notice notice = notice(Duration.ZERO);
    List<Delivered> second = new ArrayList<>();
    store.before(
        Operation.CLAIM,
        () -> {
          second.add(broker.deliver(notice));
          throw new IllegalStateException("away");
        });

    Delivered first = broker.deliver(notice);

    awaitAnswer(first, "ack");
    awaitAnswer(second.get(0), "ack");
    assertThat(runs).hasSize(1);
    assertThat(store.calls(Operation.CLAIM)).isEqualTo(2);
  }

  @Test
  void whateverIsThrownByAClaimTheNoticeIsTriedAgain() {
    start(1, GRACE);
    store.before(
        Operation.CLAIM,
        () -> {
          throw new NoClassDefFoundError("half an installation");
        });

    Delivered delivered = broker.deliver(notice(Duration.ZERO));

    awaitAnswer(delivered, "ack");
    assertThat(runs).hasSize(1);
  }

  @Test
  void whatCannotBeClaimedIsGivenBackWhenStopping() {
    start(1, GRACE);
    store.goAway();
    Delivered delivered = broker.deliver(notice(Duration.ZERO));
    soon().until(() -> store.calls(Operation.CLAIM) > 0);

    intake.close();

    assertThat(delivered.answers).containsExactly("requeue");
    assertThat(runs).isEmpty();
  }

  @Test
  void whatFailsToBeClaimedWhileStoppingIsGivenBack() throws Exception {
    start(1, GRACE);
    CountDownLatch claiming = new CountDownLatch(1);
    CountDownLatch mayFail = new CountDownLatch(1);
    store.before(
        Operation.CLAIM,
        () -> {
          claiming.countDown();
          try {
            mayFail.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          throw new IllegalStateException("away");
        });
    Delivered delivered = broker.deliver(notice(Duration.ZERO));
    claiming.await();

    Thread stopping = new Thread(intake::close);
    stopping.start();
    soon().until(() -> !broker.subscribed && stopping.getState() == Thread.State.TIMED_WAITING);
    mayFail.countDown();
    stopping.join();

    assertThat(delivered.answers).containsExactly("requeue");
  }

  @Test
  void anEarlyNoticeThatIsSlowToParkHoldsUpNothing() {
    start(2, GRACE);
    CountDownLatch brokerAnswers = new CountDownLatch(1);
    broker.whenParking =
        notice -> {
          try {
            brokerAnswers.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    Notice early = notice(LONGEST_HOLD.multipliedBy(2));

    Delivered slow = broker.deliver(early);
    Delivered due = broker.deliver(notice(Duration.ofMillis(50)));

    awaitAnswer(due, "ack");
    assertThat(slow.answers).isEmpty();
    brokerAnswers.countDown();
    awaitAnswer(slow, "ack");
    assertThat(broker.parked).containsExactly(early);
  }

  @Test
  void aRunThatOutlastsTheGraceIsHandedBack() {
    blocking = true;
    start(1, Duration.ofMillis(50));
    Notice notice = notice(Duration.ZERO);
    Delivered delivered = broker.deliver(notice);
    awaitRuns(1);

    intake.close();

    assertThat(delivered.answers).containsExactly("ack");
    assertThat(broker.parked).hasSize(1);
    assertThat(broker.parked.get(0).attempt()).isEqualTo(2);
    assertThat(broker.parked.get(0).runAt()).isBeforeOrEqualTo(clock.instant());
    assertThat(broker.parked.get(0).token()).isGreaterThan(notice.token());
  }

  @Test
  void whileTheClockCannotBeReliedOnNothingIsTakenAndWhatHasNotBegunIsGivenBack() {
    start(2, GRACE);
    Delivered isHeld = broker.deliver(notice(Duration.ofSeconds(20)));

    localError = Duration.ofMinutes(-3);

    awaitAnswer(isHeld, "requeue");
    assertThat(broker.subscribed).isFalse();
    assertThat(intake.isActive()).isFalse();
    clock.refresh();
    soon().until(() -> broker.subscribed && intake.isActive());
    awaitAnswer(broker.deliver(notice(Duration.ZERO)), "ack");
    assertThat(runs).hasSize(1);
  }

  @Test
  void whatIsDueWhenTheClockCannotBeReliedOnAnyMoreIsNotClaimed() {
    blocking = true;
    start(1, GRACE);
    Delivered begun = broker.deliver(notice(Duration.ZERO));
    awaitRuns(1);

    localError = Duration.ofMinutes(3);
    Delivered due = broker.deliver(notice(Duration.ZERO));

    awaitAnswer(due, "requeue");
    mayEnd.countDown();
    awaitAnswer(begun, "ack");
    assertThat(runs).as("what has begun comes to its end").hasSize(1);
    assertThat(store.calls(Operation.CLAIM)).isEqualTo(1);
  }

  @Test
  void isActiveAsLongAsItsSubscription() {
    start(1, GRACE);
    assertThat(intake.isActive()).isTrue();
    intake.close();
    assertThat(intake.isActive()).isFalse();
  }
}
