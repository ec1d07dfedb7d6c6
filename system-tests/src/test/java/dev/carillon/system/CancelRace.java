package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Tasks that are called off at the very moment at which they are due. */
final class CancelRace {

  private static final Duration LEAD = Duration.ofSeconds(6);
  private static final long CREATE_EVERY_MILLIS = 20;
  private static final int USERS = 8;

  /** A cancel takes some milliseconds to arrive: from too early to too late. */
  private static final int EARLIEST_MILLIS = -80;

  private static final int LATEST_MILLIS = 20;

  private static final Set<SubTaskStatus> ENDED =
      Set.of(SubTaskStatus.SUCCEEDED, SubTaskStatus.CANCELED);

  private static final Set<SubTaskStatus> ENDED_OR_LOST =
      Set.of(SubTaskStatus.SUCCEEDED, SubTaskStatus.CANCELED, SubTaskStatus.FAILED);

  private final ChaosWorld world;
  private final Random random;
  private final String name;

  /** When the cancel of a task was answered with 204. */
  private final Map<String, Instant> answered = new ConcurrentHashMap<>();

  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicInteger tooLate = new AtomicInteger();

  CancelRace(ChaosWorld world, long seed) {
    this.world = world;
    this.random = new Random(seed);
    this.name = "canceled at its due instant, seed " + seed;
  }

  /** Says in a line what came of it. */
  String run(int size) {
    System.out.printf("chaos: %d tasks %s%n", size, name);
    ScheduledExecutorService creating = Executors.newScheduledThreadPool(USERS);
    ScheduledExecutorService canceling = Executors.newScheduledThreadPool(USERS);
    try {
      for (int i = 0; i < size; i++) {
        int offset = EARLIEST_MILLIS + random.nextInt(LATEST_MILLIS - EARLIEST_MILLIS);
        Future<?> unused =
            creating.schedule(
                () -> create(canceling, offset), i * CREATE_EVERY_MILLIS, TimeUnit.MILLISECONDS);
      }
      await()
          .atMost(Duration.ofMillis(size * CREATE_EVERY_MILLIS * 4).plusMinutes(2))
          .until(() -> done.get() == size);
    } finally {
      creating.shutdownNow();
      canceling.shutdownNow();
    }
    assertThat(problems).isEmpty();
    return audit(size);
  }

  private void create(ScheduledExecutorService canceling, int offset) {
    Instant due = Instant.now().plus(LEAD).truncatedTo(ChronoUnit.MILLIS);
    try {
      String id =
          world
              .api()
              .create(
                  "{'name': '%s', 'startTime': '%s', 'interval': 1, 'maxRuns': 1, 'action': {'type': 'http', 'url': '%s'}}"
                      .formatted(name, due, world.ledger().url()));
      long wait = Duration.between(Instant.now(), due).toMillis() + offset;
      Future<?> unused = canceling.schedule(() -> cancel(id), wait, TimeUnit.MILLISECONDS);
    } catch (RuntimeException | AssertionError e) {
      problems.add("create: " + e);
      done.incrementAndGet();
    }
  }

  private void cancel(String id) {
    try {
      int status = world.api().delete("/api/tasks/" + id).status();
      Instant now = Instant.now();
      if (status == 204) {
        answered.put(id, now);
      } else if (status == 409) {
        tooLate.incrementAndGet();
      } else {
        problems.add("cancel: " + status);
      }
    } catch (RuntimeException e) {
      problems.add("cancel: " + e);
    } finally {
      done.incrementAndGet();
    }
  }

  private String audit(int size) {
    Map<String, List<Ledger.Entry>> runs =
        world.ledger().entries().stream()
            .collect(Collectors.groupingBy(entry -> entry.run().taskId()));
    int begun = 0;
    int after = 0;
    for (Map.Entry<String, Instant> cancel : answered.entrySet()) {
      Task task = ended(cancel.getKey());
      assertThat(task.status()).isEqualTo(TaskStatus.CANCELED);
      SubTask subTask = task.subTasks().get(0);
      boolean ran = runs.containsKey(cancel.getKey());
      assertThat(subTask.run().isPresent())
          .as("%s has a start, and %s", task, ran ? "ran" : "did not run")
          .isEqualTo(ran);
      // a run that was begun may end; on a busy machine it may be interrupted, or lose its lease
      boolean mayHaveFailed = subTask.lostWorkers() > 0;
      Set<SubTaskStatus> ends = mayHaveFailed ? ENDED_OR_LOST : ENDED;
      assertThat(subTask.status()).as("%s", task).isIn(ran ? ends : Set.of(SubTaskStatus.CANCELED));
      if (subTask.run().isPresent()) {
        begun++;
        if (subTask.run().get().startedAt().isAfter(cancel.getValue())) {
          after++;
        }
      }
    }
    String line =
        String.format(
            Locale.ROOT,
            "%,d cancels fired at the due instant: %,d were in time, %,d were answered 204 when the run had begun, %,d came after its end (409); runs that started after a 204: %d.",
            size,
            answered.size() - begun,
            begun,
            tooLate.get(),
            after);
    System.out.println("chaos:   " + line);
    assertThat(after).as("runs that started after a 204").isZero();
    assertThat(answered).as("cancels that were in time").hasSizeGreaterThan(begun);
    world.awaitNoQueueLeft(name, 0);
    return line;
  }

  /** The task when its run, if there is one, is over. */
  private Task ended(String id) {
    return await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .until(
            () -> world.store().find(TaskId.parse(id).orElseThrow()).orElseThrow(),
            task -> task.claim().isEmpty());
  }
}
