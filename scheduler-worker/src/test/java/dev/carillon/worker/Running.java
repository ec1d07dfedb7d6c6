package dev.carillon.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.carillon.flow.Ports;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.flow.TimelyQueues;
import dev.carillon.inprocess.InProcessBroker;
import dev.carillon.inprocess.InProcessQueues;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.StoreClock;
import dev.carillon.schedule.QuickSchedules;
import dev.carillon.schedule.Schedule;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Action;
import dev.carillon.task.Chain;
import dev.carillon.task.Concurrency;
import dev.carillon.task.Outcome;
import dev.carillon.task.RetryPolicy;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskStatus;
import dev.carillon.worker.action.ActionHandler;
import dev.carillon.worker.action.ActionHandler.Attempt;
import dev.carillon.worker.action.ActionHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.awaitility.core.ConditionFactory;

/** Workers in real time, on a store in memory and queues in the process. */
final class Running implements AutoCloseable {

  /** Far more than anything here takes, for machines that are busy with something else. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration GRACE = Duration.ofSeconds(20);

  static final RetryPolicy RETRY =
      new RetryPolicy(3, Duration.ofMillis(50), 1, Duration.ofSeconds(1));

  /** What a handler was called with. */
  record Run(String worker, String key, int attempt, Instant at) {}

  /** What a task does, apart from being written down. */
  interface Work {
    void run(Run run) throws InterruptedException;
  }

  final StoreClock clock = clock(InstantSource.system());
  final MemoryTaskStore store = new MemoryTaskStore(clock);
  final MemoryTaskKeys keys = new MemoryTaskKeys();
  final InProcessBroker broker =
      new InProcessBroker(Duration.ofSeconds(10), InProcessBroker.DEFAULT_CAPACITY, clock);
  final List<Run> runs = new CopyOnWriteArrayList<>();
  final AtomicInteger running = new AtomicInteger();
  final AtomicInteger mostRunning = new AtomicInteger();
  volatile Work work = run -> {};

  private final InProcessQueues ofTheApi = broker.connect();
  private final TaskLifecycle lifecycle =
      new TaskLifecycle(ports(store, ofTheApi, clock), new Random(7), later -> {});
  private final List<Runnable> closers = new ArrayList<>();

  /** That of a process whose own clock is the given one; it has been compared with the store's. */
  static StoreClock clock(InstantSource local) {
    StoreClock clock = new StoreClock(local, Instant::now, StoreClock.DEFAULT_LIMIT);
    clock.refresh();
    return clock;
  }

  static ConditionFactory soon() {
    return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5));
  }

  static WorkerSettings settings(int concurrency, int prefetch, Duration lease, Duration grace) {
    return new WorkerSettings(
        concurrency,
        concurrency,
        prefetch,
        lease,
        Duration.ofMillis(50),
        Duration.ofDays(1),
        grace);
  }

  static WorkerSettings settings() {
    return settings(4, 20, LEASE, GRACE);
  }

  /** What a worker would have, with the given store. */
  Ports ports(TaskStore seen) {
    return ports(seen, ofTheApi, clock);
  }

  private Ports ports(TaskStore seen, InProcessQueues queues, StoreClock clock) {
    return new Ports(
        seen,
        keys,
        new TimelyQueues(queues, clock),
        broker.parkedMessages(),
        new Chain(queues, Chain.Settings.DEFAULT),
        clock,
        SchedulerMetrics.NONE);
  }

  Worker start(String name, WorkerSettings settings) {
    return start(name, settings, store);
  }

  /**
   * Starts a worker with a connection of its own.
   *
   * @param seen the store as it sees it
   */
  Worker start(String name, WorkerSettings settings, TaskStore seen) {
    return start(name, settings, seen, clock);
  }

  /** The same with a clock of its own. */
  Worker start(String name, WorkerSettings settings, TaskStore seen, StoreClock clock) {
    InProcessQueues queues = broker.connect();
    closers.add(queues::close);
    ActionHandler<Action.Log> log =
        (action, attempt) -> {
          handle(name, attempt);
          return new Outcome.Succeeded();
        };
    ActionHandlers handlers = new ActionHandlers(log, unused(), unused(), unused());
    Worker worker = new Worker(ports(seen, queues, clock), queues, handlers, clock, settings, name);
    closers.add(worker::close);
    worker.start();
    return worker;
  }

  private void handle(String worker, Attempt attempt) throws InterruptedException {
    int number = attempt.number();
    Run run = new Run(worker, attempt.idempotencyKey(), number, Instant.now());
    int now = running.incrementAndGet();
    mostRunning.accumulateAndGet(now, Math::max);
    runs.add(run);
    try {
      work.run(run);
    } finally {
      running.decrementAndGet();
    }
  }

  private static <A extends Action> ActionHandler<A> unused() {
    return (action, attempt) -> {
      throw new AssertionError("nobody asked for " + action);
    };
  }

  /** A task that fires so many times, first after the given delay, which is more than nothing. */
  Task create(Duration delay, Duration interval, int times) {
    return create(delay, interval, times, TaskDefinition.DEFAULT_TIMEOUT);
  }

  Task create(Duration delay, Duration interval, int times, Duration timeout) {
    Instant start = clock.instant().plus(delay).truncatedTo(ChronoUnit.MILLIS);
    Schedule schedule = QuickSchedules.every(interval, start, times);
    return lifecycle
        .create(
            TaskDefinition.builder("task", schedule, new Action.Log())
                .retry(RETRY)
                .timeout(timeout)
                .build())
        .orElseThrow();
  }

  /** So many tasks that fire once, at about the same time, with one key. */
  List<Task> createShared(int count, Duration delay, Concurrency shared) {
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Instant start = clock.instant().plus(delay).truncatedTo(ChronoUnit.MILLIS);
      tasks.add(
          lifecycle
              .create(
                  TaskDefinition.builder(
                          "task", QuickSchedules.every(delay, start, 1), new Action.Log())
                      .concurrency(Optional.of(shared))
                      .build())
              .orElseThrow());
    }
    return tasks;
  }

  /** So many tasks that fire once, at about the same time. */
  List<Task> createSeveral(int count, Duration delay) {
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(create(delay, delay, 1));
    }
    return tasks;
  }

  Task stored(Task task) {
    return store.find(task.id()).orElseThrow();
  }

  SubTask subTask(Task task, long index) {
    return stored(task).subTask(index).orElseThrow();
  }

  void awaitFinished(Task task) {
    soon().until(() -> stored(task).status() == TaskStatus.FINISHED);
  }

  List<Run> runsOf(Task task) {
    return runs.stream().filter(run -> run.key().startsWith(task.id().value())).toList();
  }

  List<Run> runsBy(String worker) {
    return runs.stream().filter(run -> run.worker().equals(worker)).toList();
  }

  /** Ends everything, the latest first. */
  @Override
  public void close() {
    for (int i = closers.size() - 1; i >= 0; i--) {
      closers.get(i).run();
    }
    broker.close();
    assertNoThreadIsLeft();
  }

  private static void assertNoThreadIsLeft() {
    Predicate<Thread> isOurs =
        thread -> thread.getName().matches("(due|firing|heartbeat|deadlines|sweep)-\\d+");
    soon()
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet().stream().filter(isOurs)).isEmpty());
  }
}
