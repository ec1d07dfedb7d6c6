package dev.carillon.simulation;

import static dev.carillon.simulation.Ledger.check;

import dev.carillon.definition.DefinitionEdit;
import dev.carillon.flow.BatchCreation;
import dev.carillon.flow.BatchCreation.Batch;
import dev.carillon.flow.BatchCreation.Item;
import dev.carillon.flow.Firing;
import dev.carillon.flow.Firing.Arrival;
import dev.carillon.flow.Ports;
import dev.carillon.flow.SubTaskLifecycle;
import dev.carillon.flow.SubTaskLifecycle.Answer;
import dev.carillon.flow.Sweep;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.flow.TaskLifecycle.CancelAnswer;
import dev.carillon.flow.TaskLifecycle.KeyedAnswer;
import dev.carillon.inprocess.InProcessParkedMessages;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.PendingQueues;
import dev.carillon.simulation.Actors.Crash;
import dev.carillon.simulation.Actors.Node;
import dev.carillon.simulation.SimulatedQueues.Steps;
import dev.carillon.simulation.SteppingStore.StoreAway;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.Permits.Permit;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Chain;
import dev.carillon.task.KeyedRequest;
import dev.carillon.task.MisfirePolicy;
import dev.carillon.task.Origin;
import dev.carillon.task.Outcome;
import dev.carillon.task.Overlap;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * An API, several workers, a store and a broker, with the real code of the flow in between, on a
 * clock of their own; they crash, stand still and fail as the seed says, and come back.
 */
final class SimulatedWorld {

  static final Instant START = Instant.parse("2027-01-04T08:00:00Z");
  static final Duration LEASE = Duration.ofSeconds(30);

  /** Why sub-tasks are skipped that were to come when a task is resumed too late for them. */
  private static final String PAUSED_BEYOND = "the task was paused until after its end";

  private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(1);

  /** Small windows, so that they shift within a short run. */
  static final Chain.Settings CHAIN = new Chain.Settings(Duration.ofSeconds(5), 6, 1, 1_000);

  private final Random random;
  private final Actors actors;
  private final Ledger ledger;
  private final Set<String> crashed = new HashSet<>();
  private final MemoryTaskStore store;
  private final SimulatedQueues queues;
  private final Map<Node, Worker> workers = new HashMap<>();
  private Faults faults;
  private int started;

  SimulatedWorld(long seed, Faults faults) {
    this.random = new Random(seed);
    this.faults = faults;
    this.actors = new Actors(random, START);
    boolean mayStandStill = faults.stop() > 0 || faults.storeFails() > 0;
    this.ledger = new Ledger(worker -> mayStandStill || crashed.contains(worker));
    this.store = new MemoryTaskStore(actors);
    this.queues = new SimulatedQueues(actors, random, faults, this::deliver);
  }

  /** Everything that a worker node has. */
  private record Worker(Firing firing, Sweep sweep) {}

  void startWorker(Duration delay) {
    Node node = new Node("worker-" + ++started);
    actors.spawn(node, delay, () -> runWorker(node));
  }

  private void runWorker(Node node) {
    Ports ports = portsSeenFrom(node);
    Firing firing =
        new Firing(
            ports,
            won -> runAttempt(won, ports.store()),
            actors::sleep,
            new Firing.Settings(node.name, LEASE, Duration.ofSeconds(2), Duration.ofMinutes(10)));
    Sweep sweep = new Sweep(ports, 3);
    workers.put(node, new Worker(firing, sweep));
    queues.workerStarted(node);
    while (true) {
      actors.sleep(SWEEP_INTERVAL);
      try {
        while (sweep.sweepOnce()) {
          actors.sleep(Duration.ZERO);
        }
      } catch (StoreAway e) {
        actors.sleep(SWEEP_INTERVAL);
      }
    }
  }

  private void deliver(Node worker, Delivery delivery) {
    Firing firing = workers.get(worker).firing();
    actors.spawn(
        worker,
        Duration.ZERO,
        () -> {
          Arrival arrival = firing.arrived(delivery);
          actors.sleepUntil(arrival.fireAt());
          while (true) {
            try {
              firing.fire(arrival, () -> {});
              return;
            } catch (StoreAway e) {
              actors.sleep(Duration.ofSeconds(1));
            }
          }
        });
  }

  private Outcome runAttempt(Won won, TaskStore seen) {
    Instant end =
        actors.instant().plusMillis(random.nextInt(random.nextInt(10) == 0 ? 80_000 : 300));
    while (actors.instant().isBefore(end)) {
      Duration rest = Duration.between(actors.instant(), end);
      Duration beat = pauseBeforeBeat();
      actors.sleep(rest.compareTo(beat) < 0 ? rest : beat);
      try {
        Instant until = actors.instant().plus(LEASE);
        if (!extendPermit(won, seen, until)) {
          return new Outcome.HandedBack();
        }
        if (!seen.extend(List.of(won.claim()), until).get(0)) {
          return new Outcome.HandedBack(); // too late anyway
        }
      } catch (StoreAway e) {
        // the lease goes on until its end; the next beat may get through
      }
    }
    if (random.nextInt(8) == 0) {
      return new Outcome.Failed("by chance", random.nextInt(4) > 0);
    }
    if (random.nextInt(20) == 0) {
      return new Outcome.HandedBack();
    }
    ledger.of(won.claim()).succeeded = true;
    return new Outcome.Succeeded();
  }

  private static boolean extendPermit(Won won, TaskStore seen, Instant until) {
    Optional<Permit> permit =
        won.task().definition().concurrency().map(shared -> new Permit(shared.key(), won.claim()));
    return permit.isEmpty() || seen.extendPermits(List.of(permit.get()), until).get(0);
  }

  /** Some beats come just when a sweep is about to take over. */
  private Duration pauseBeforeBeat() {
    boolean isLate = faults.stop() > 0 && random.nextInt(4) == 0;
    return isLate ? LEASE.plusMillis(random.nextInt(1_500)) : LEASE.dividedBy(3);
  }

  /** A client that creates a task through an API node, repeating when the API dies. */
  void createTask(Duration delay, TaskDefinition definition, Optional<Duration> cancelAfter) {
    Node node = new Node("api-" + ++started);
    actors.spawn(
        node,
        delay,
        () -> {
          try {
            Optional<Task> created = lifecycle(node).create(definition);
            if (created.isPresent() && cancelAfter.isPresent()) {
              cancelTask(cancelAfter.get(), created.get().id());
            }
          } catch (StoreAway e) {
            // the client got an error: the task may exist or not
          }
        });
  }

  /**
   * A client that creates a task with an idempotency key, its name, and repeats, also while the
   * call before may still be under way, until it has an answer.
   */
  void createTaskOnce(Duration delay, TaskDefinition definition, Optional<Duration> cancelAfter) {
    String key = definition.name();
    actors.spawn(
        new Node("client of " + key),
        delay,
        () -> {
          boolean[] refused = {false};
          while (ledger.answersTo(key).isEmpty() && !refused[0]) {
            call(key, definition, () -> refused[0] = true);
            actors.sleep(Duration.ofMillis(random.nextInt(5_000)));
          }
          ledger.answersTo(key).stream()
              .findFirst()
              .ifPresent(task -> cancelAfter.ifPresent(later -> cancelTask(later, task)));
        });
  }

  private void call(String key, TaskDefinition definition, Runnable ifRefused) {
    Node node = new Node("api-" + ++started);
    actors.spawn(
        node,
        Duration.ZERO,
        () -> {
          try {
            KeyedAnswer answer = lifecycle(node).create(key, "request", at -> definition);
            check(!(answer instanceof KeyedAnswer.OtherRequest), "another request?", key);
            if (answer instanceof KeyedAnswer.Created created) {
              ledger.createAnswered(key, created.task().id());
            } else {
              ifRefused.run(); // nobody could take the key before the last instant had passed
            }
          } catch (StoreAway e) {
            // the client got an error: the task may exist or not
          }
        });
  }

  /**
   * A client that creates tasks by one request with an idempotency key, and repeats it, also while
   * the call before may still be under way, until it has an answer.
   */
  void createBatchOnce(Duration delay, List<TaskDefinition> definitions) {
    List<Item> items = new ArrayList<>();
    for (TaskDefinition definition : definitions) {
      items.add(new Item(items.size(), definition));
    }
    String key = "batch of " + definitions.get(0).name();
    actors.spawn(
        new Node("client of " + key),
        delay,
        () -> {
          boolean[] answered = {false};
          while (!answered[0]) {
            callBatch(key, items, () -> answered[0] = true);
            actors.sleep(Duration.ofMillis(random.nextInt(5_000)));
          }
        });
  }

  private void callBatch(String key, List<Item> items, Runnable whenAnswered) {
    Node node = new Node("api-" + ++started);
    actors.spawn(
        node,
        Duration.ZERO,
        () -> {
          try {
            BatchCreation creation = new BatchCreation(portsSeenFrom(node), random);
            Batch batch = creation.begin(key, "request").orElseThrow();
            Map<Integer, TaskId> created = creation.create(batch, items);
            for (Item item : items) {
              if (created.containsKey(item.position())) {
                ledger.createAnswered(item.definition().name(), created.get(item.position()));
              }
            }
            whenAnswered.run();
          } catch (StoreAway e) {
            // the client got an error: some of them may exist
          }
        });
  }

  private void cancelTask(Duration delay, TaskId task) {
    Node node = new Node("api-" + ++started);
    actors.spawn(
        node,
        delay,
        () -> {
          while (true) {
            try {
              CancelAnswer answer = lifecycle(node).cancel(task);
              check(answer != CancelAnswer.UNKNOWN, "an accepted task is unknown:", task);
              if (answer == CancelAnswer.CANCELED) {
                ledger.cancelAnswered(task, actors.instant());
              }
              return;
            } catch (StoreAway e) {
              actors.sleep(Duration.ofMillis(100));
            }
          }
        });
  }

  /** A client that does something to any of the tasks that are there by then. */
  void meddle(Duration delay) {
    Node node = new Node("api-" + ++started);
    actors.spawn(
        node,
        delay,
        () -> {
          List<Task> tasks = store.all();
          if (tasks.isEmpty()) {
            return;
          }
          Task task = tasks.get(random.nextInt(tasks.size()));
          try {
            meddle(task, node);
          } catch (StoreAway e) {
            // the client got an error: it may have been done or not
          }
        });
  }

  private void meddle(Task task, Node node) {
    SubTaskLifecycle runs = subTaskLifecycle(node);
    TaskId id = task.id();
    switch (random.nextInt(8)) {
      case 0 -> {
        if (runs.trigger(id, Optional.empty()) instanceof Answer.Done done) {
          ledger.triggerAnswered(id, done.subTask().index());
        }
      }
      case 1 -> triggerOnce(id);
      case 2 -> {
        Instant from = START.plusMillis(random.nextInt(60_000));
        Instant to = from.plusMillis(random.nextInt(30_000));
        Instant latest = actors.instant().minusMillis(1);
        if (!latest.isBefore(from)) {
          fillBack(id, from, to.isBefore(latest) ? to : latest);
        }
      }
      case 3 -> {
        for (SubTask subTask : allSubTasks(id)) {
          if (subTask.status() == SubTaskStatus.FAILED
              && runs.retry(id, subTask.index()) instanceof Answer.Done done
              && done.subTask().status().isWaiting()) {
            ledger.retryAnswered(id, done.subTask());
          }
        }
      }
      case 5, 6 -> edit(id, node);
      case 4 -> {
        long extras = task.extras().runs();
        long index = random.nextInt(14) - Math.min(extras, 3);
        if (runs.cancel(id, index) instanceof Answer.Done done
            && done.task().status() != TaskStatus.CANCELED) {
          ledger.cancelAnswered(id, index);
        }
      }
      default -> pauseForAWhile(id, node);
    }
  }

  /** A client that repeats its request with a key until it has an answer, and once more. */
  private void repeat(String key, Consumer<SubTaskLifecycle> request) {
    boolean[] answered = {false};
    actors.spawn(
        new Node("client of " + key),
        Duration.ZERO,
        () -> {
          for (boolean again = true; again; ) {
            again = !answered[0];
            Node node = new Node("api-" + ++started);
            actors.spawn(
                node,
                Duration.ZERO,
                () -> {
                  try {
                    request.accept(subTaskLifecycle(node));
                    answered[0] = true;
                  } catch (StoreAway e) {
                    // the client got an error: it may have been done or not
                  }
                });
            boolean isLate = answered[0] && random.nextBoolean(); // it may be in the archive then
            actors.sleep(Duration.ofMillis(random.nextInt(isLate ? 100_000 : 5_000)));
          }
        });
  }

  private void triggerOnce(TaskId id) {
    String key = "key-" + ++started;
    Instant now = actors.instant();
    repeat(
        key,
        runs -> {
          Answer answer = runs.trigger(id, Optional.of(new KeyedRequest(key, "trigger", now)));
          check(!(answer instanceof Answer.OtherRequest), "another request?", key);
          if (answer instanceof Answer.Done done) {
            ledger.triggerAnswered(id, done.subTask().index());
            ledger.triggerAnswered(key, done.subTask().index());
          }
        });
  }

  private void fillBack(TaskId id, Instant from, Instant to) {
    String key = "key-" + ++started;
    Instant now = actors.instant();
    repeat(
        key,
        runs -> {
          Optional<KeyedRequest> request = Optional.of(new KeyedRequest(key, "range", now));
          Answer answer = runs.backfill(id, from, to, request);
          check(!(answer instanceof Answer.OtherRequest), "another request?", key);
        });
  }

  /** Changes the schedule, whether runs may overlap, or what comes first. */
  private void edit(TaskId id, Node node) {
    Map<String, Object> patch = new HashMap<>();
    if (random.nextBoolean()) {
      Duration interval = Duration.ofMillis(1_000 + random.nextInt(20_000));
      Instant end = actors.instant().plus(interval.multipliedBy(1L + random.nextInt(6)));
      patch.put("interval", interval.toString());
      patch.put("endTime", end.toString());
    }
    if (random.nextInt(3) == 0) {
      patch.put("overlap", List.of("wait", "skip", "allow").get(random.nextInt(3)));
    }
    if (random.nextInt(3) == 0) {
      patch.put("priority", List.of("high", "normal", "low").get(random.nextInt(3)));
    }
    // refused when the last instant has passed before the node came to it
    var unused = lifecycle(node).edit(id, new DefinitionEdit(patch), OptionalLong.empty());
  }

  private void pauseForAWhile(TaskId id, Node node) {
    Duration time = Duration.ofMillis(random.nextInt(40_000));
    resumeLater(id, time); // also if the pause is broken off
    edit(node, id, true);
  }

  private void resumeLater(TaskId id, Duration time) {
    Node node = new Node("operator-" + ++started);
    actors.spawn(
        node,
        time,
        () -> {
          while (true) {
            try {
              edit(node, id, false);
              return;
            } catch (StoreAway e) {
              actors.sleep(Duration.ofMillis(100));
            }
          }
        });
  }

  private void edit(Node node, TaskId id, boolean paused) {
    TaskLifecycle lifecycle = lifecycle(node);
    var unused =
        lifecycle.edit(id, new DefinitionEdit(Map.of("paused", paused)), OptionalLong.empty());
  }

  private SubTaskLifecycle subTaskLifecycle(Node node) {
    return new SubTaskLifecycle(
        portsSeenFrom(node), later -> actors.spawn(node, Duration.ofSeconds(3), later::run));
  }

  /** Those of the archive as well. */
  List<SubTask> allSubTasks(TaskId id) {
    return store.subTasks(
        id, new SubTaskQuery(Optional.empty(), Long.MIN_VALUE, Integer.MAX_VALUE));
  }

  /** How many runs with one concurrency key were ever on at a time. */
  int mostAtATime() {
    return ledger.mostAtATime();
  }

  boolean hasSeenOverlaps() {
    return ledger.hasSeenOverlaps();
  }

  private TaskLifecycle lifecycle(Node node) {
    return new TaskLifecycle(
        portsSeenFrom(node),
        random,
        later -> actors.spawn(node, Duration.ofSeconds(3), later::run));
  }

  private Ports portsSeenFrom(Node node) {
    PendingQueues pending = queues.seenFrom(steps(node));
    TaskStore seen =
        new SteppingStore(
            store, ledger, steps(node), () -> random.nextDouble() < faults.storeFails());
    return new Ports(
        seen,
        new MemoryTaskKeys(),
        pending,
        new InProcessParkedMessages(actors),
        new Chain(pending, CHAIN),
        actors,
        SchedulerMetrics.NONE);
  }

  private Steps steps(Node node) {
    return where -> {
      if (faults.crashAt().test(where, random)) {
        crash(node);
        throw new Crash(node.name);
      }
      if (random.nextDouble() < faults.stop()) {
        actors.stop(node, Duration.ofMillis(random.nextInt(100_000)));
      }
      if (actors.currentNode() == node) {
        boolean slow = faults.stop() > 0 && random.nextInt(100) == 0;
        actors.sleep(Duration.ofNanos(random.nextInt(slow ? 2_000_000_000 : 3_000_000)));
      }
    };
  }

  private void crash(Node node) {
    actors.kill(node);
    crashed.add(node.name);
    if (workers.remove(node) != null) {
      queues.workerDied(node);
      startWorker(Duration.ofMillis(random.nextInt(3_000)));
    } else if (node.name.startsWith("worker")) {
      startWorker(Duration.ofMillis(random.nextInt(3_000)));
    }
  }

  /** Lets everything happen: a time with faults, then one without, in which all must come right. */
  void run(Duration withFaults, Duration calm) {
    actors.runUntil(START.plus(withFaults));
    boolean queuesMayBeLeft = faults.noticeLost() > 0 || faults.brokerAway() > 0;
    faults = Faults.NONE;
    queues.calmDown();
    Instant latest = START.plus(withFaults).plus(calm);
    while (actors.instant().isBefore(latest) && !(isQuiet() && queues.isQuiet())) {
      actors.runUntil(actors.instant().plusSeconds(10));
      for (Task task : store.all()) { // a pause may have been late, and come after its end
        if (task.status() == TaskStatus.PAUSED) {
          resumeLater(task.id(), Duration.ZERO);
        }
      }
    }
    if (queuesMayBeLeft) {
      actors.runUntil(actors.instant().plus(SimulatedQueues.UNUSED));
    }
    try {
      checkTheEnd();
    } finally {
      actors.end();
    }
  }

  private boolean isQuiet() {
    return store.all().stream()
        .allMatch(task -> task.status().isFinal() && task.leases().isEmpty());
  }

  List<Task> tasks() {
    return store.all();
  }

  private void checkTheEnd() {
    ledger.checkRules();
    ledger.checkKeys(store.all());
    checkTriggered();
    for (Task task : store.all()) {
      check(task.status().isFinal(), "not finished:", task);
      check(task.wakeAt().isEmpty() && task.leases().isEmpty(), "waits for nothing:", task);
      OptionalLong total = task.totalSubTasks();
      check(
          task.tally().total() == total.orElseThrow() + task.extras().runs(),
          "ended, total, task:",
          task.tally(),
          total,
          task);
      checkSubTasks(task, total.getAsLong());
    }
    check(queues.names().isEmpty(), "queues are left:", queues.names());
  }

  private void checkTriggered() {
    for (Task task : store.all()) {
      for (SubTask subTask : allSubTasks(task.id())) {
        ledger.triggered().remove(SubTask.idempotencyKey(task.id(), subTask.index()));
      }
    }
    check(ledger.triggered().isEmpty(), "accepted and lost:", ledger.triggered());
    Map<String, Set<Long>> made = new HashMap<>();
    for (Task task : store.all()) {
      for (SubTask subTask : allSubTasks(task.id())) {
        boolean isTriggered = subTask.origin() == Origin.TRIGGER;
        subTask
            .request()
            .filter(by -> isTriggered)
            .ifPresent(by -> indices(made, by.key()).add(subTask.index()));
      }
    }
    made.forEach((key, runs) -> check(runs.size() == 1, "one key, several runs:", key, runs));
    ledger
        .keyedTriggers()
        .forEach((key, told) -> check(told.equals(made.get(key)), "told, made:", key, told, made));
  }

  private static Set<Long> indices(Map<String, Set<Long>> byKey, String key) {
    return byKey.computeIfAbsent(key, any -> new HashSet<>());
  }

  private void checkSubTasks(Task task, long total) {
    List<SubTask> all = allSubTasks(task.id());
    List<SubTask> extras = all.stream().filter(subTask -> subTask.index() < 0).toList();
    List<SubTask> subTasks = all.subList(extras.size(), all.size());
    for (int i = 0; i < subTasks.size(); i++) {
      check(subTasks.get(i).index() == i, "index, place:", subTasks.get(i), i);
      checkSubTask(task, subTasks.get(i));
    }
    checkDueTimes(task, subTasks);
    check(
        task.status() == TaskStatus.CANCELED
            || subTasks.size() == total
            || subTasks.stream().anyMatch(s -> isSkippedFor(s, PAUSED_BEYOND)),
        "sub-tasks, total:",
        subTasks.size(),
        total);
    checkExtras(task, extras);
  }

  /**
   * Each schedule that was ever in force has given all its instants, in their order, until the next
   * one took its place; the last one to its end, which the total says.
   */
  private void checkDueTimes(Task task, List<SubTask> subTasks) {
    List<Ledger.Plan> plans = ledger.plansOf(task.id()).inForce();
    BitSet before = new BitSet(); // the plans that the one before may be from
    Instant last = Instant.MIN;
    for (SubTask subTask : subTasks) {
      BitSet now = new BitSet();
      for (int i = 0; i < plans.size(); i++) {
        boolean isFirst = before.isEmpty() || i > before.nextSetBit(0);
        boolean goesOn = before.get(i) && isNext(plans.get(i), last, subTask);
        boolean begins = isFirst && isNext(plans.get(i), plans.get(i).after(), subTask);
        now.set(i, goesOn || begins);
      }
      check(!now.isEmpty(), "wrong due time: sub-task, the one before:", subTask, last);
      before = now;
      last = subTask.dueAt();
    }
  }

  private static boolean isNext(Ledger.Plan plan, Instant after, SubTask subTask) {
    return plan.schedule().next(after).equals(Optional.of(subTask.dueAt()));
  }

  private void checkExtras(Task task, List<SubTask> extras) {
    check(extras.size() == task.extras().runs(), "extras, runs:", extras, task.extras().runs());
    List<Instant> filledBack = new ArrayList<>();
    for (int i = 0; i < extras.size(); i++) {
      SubTask extra = extras.get(i);
      check(extra.index() == i - extras.size(), "index, place:", extra.index(), i);
      check(extra.status() != SubTaskStatus.SKIPPED, "skipped:", extra);
      checkSubTask(task, extra);
      if (extra.origin() == Origin.BACKFILL) {
        filledBack.add(extra.dueAt());
      }
    }
    List<Instant> wanted = new ArrayList<>(ledger.filledBack(task.id()));
    wanted.sort(null);
    filledBack.sort(null);
    check(
        task.status() == TaskStatus.CANCELED
            ? wanted.containsAll(filledBack)
            : wanted.equals(filledBack),
        "filled back, wanted:",
        filledBack,
        wanted);
  }

  private void checkSubTask(Task task, SubTask subTask) {
    check(subTask.status().isFinished(), "not ended:", subTask);
    String key = SubTask.idempotencyKey(task.id(), subTask.index());
    long attempts =
        ledger.of(task.id()).stream().filter(e -> e.key.equals(key) && !e.missed).count();
    check(attempts == subTask.attempt(), "attempts seen, sub-task:", attempts, subTask);
    check(
        subTask.status() == SubTaskStatus.CANCELED || !ledger.isCanceledAlone(task.id(), subTask),
        "canceled alone, but",
        subTask);
    check(
        subTask.status() != SubTaskStatus.SKIPPED
            || task.definition().misfire().rule() != MisfirePolicy.Rule.RUN_ALL
            || (ledger.plansOf(task.id()).overlaps().contains(Overlap.SKIP)
                && isSkippedFor(subTask, "overlap"))
            || isSkippedFor(subTask, PAUSED_BEYOND),
        "skipped although all are to be run:",
        subTask);
    check(
        subTask.status() == SubTaskStatus.CANCELED
            || subTask.attempt() > ledger.attemptsBeforeRetry(key),
        "not run again although promised:",
        subTask);
    boolean succeeded =
        ledger.of(task.id()).stream().anyMatch(e -> e.key.equals(key) && e.succeeded);
    check(
        subTask.status() != SubTaskStatus.SUCCEEDED || succeeded,
        "recorded but not done:",
        subTask);
  }

  private static boolean isSkippedFor(SubTask subTask, String reason) {
    return subTask.error().filter(error -> error.startsWith(reason)).isPresent();
  }
}
