package dev.carillon.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import dev.carillon.schedule.Schedule;
import dev.carillon.schedule.ScheduleReader;
import dev.carillon.task.Action;
import dev.carillon.task.Concurrency;
import dev.carillon.task.MisfirePolicy;
import dev.carillon.task.Overlap;
import dev.carillon.task.RetryPolicy;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The guarantees, under every fault that the simulated world knows. */
final class SimulationTest {

  private static final int RUNS = Integer.getInteger("simulation.runs", 1_500);
  private static final long SEED = Long.getLong("simulation.seed", System.nanoTime());

  @Test
  void aCrashAtAnyStepLosesAndDoublesNothing() {
    crashAtAnyStep(new Plan(2, 3, List.of(Overlap.WAIT), false, 0));
  }

  @Test
  void aCrashAtAnyStepOfRunsThatOverlapLosesAndDoublesNothing() {
    crashAtAnyStep(new Plan(1, 4, List.of(Overlap.ALLOW), false, 6));
  }

  @Test
  void aCrashAtAnyStepOfWhatUsersDoLosesAndDoublesNothing() {
    crashAtAnyStep(new Plan(1, 3, List.of(Overlap.SKIP), false, 12));
  }

  @Test
  void aCrashAtAnyStepOfABatchLosesAndDoublesNothing() {
    crashAtAnyStep(
        faults -> {
          SimulatedWorld world = new SimulatedWorld(42, faults);
          world.startWorker(Duration.ZERO);
          world.createBatchOnce(
              Duration.ofSeconds(1),
              List.of(
                  task("a", Duration.ofSeconds(9), 2, MisfirePolicy.Rule.RUN_ALL, Overlap.WAIT),
                  task("b", Duration.ofSeconds(5), 1, MisfirePolicy.Rule.RUN_ALL, Overlap.WAIT),
                  task("c", Duration.ofSeconds(40), 2, MisfirePolicy.Rule.RUN_ALL, Overlap.WAIT)));
          world.run(Duration.ofMinutes(3), Duration.ofHours(2));
          assertThat(world.tasks()).hasSize(3);
        });
  }

  private static void crashAtAnyStep(Plan plan) {
    crashAtAnyStep(faults -> runOnce(42, faults, plan));
  }

  private static void crashAtAnyStep(Consumer<Faults> run) {
    int step = 0;
    int crashed = 0;
    boolean reached;
    do {
      int n = step;
      boolean[] happened = {false};
      Faults counted =
          new Faults(
              new java.util.function.BiPredicate<>() {
                private int steps;

                @Override
                public boolean test(String where, Random random) {
                  happened[0] |= steps == n;
                  return steps++ == n;
                }
              },
              0,
              0,
              0,
              0,
              0,
              0,
              0);
      try {
        run.accept(counted);
      } catch (AssertionError e) {
        throw new AssertionError("crash at step " + n, e);
      }
      reached = happened[0];
      crashed += reached ? 1 : 0;
      step++;
    } while (reached && step < 400);
    assertThat(crashed).as("steps that were crashed at").isGreaterThan(50);
  }

  @Test
  void withoutFaultsEverythingRunsOnceAndOnTime() {
    SimulatedWorld world =
        runOnce(7, Faults.NONE, new Plan(5, 12, List.of(Overlap.WAIT), false, 0));
    assertThat(world.tasks()).hasSize(5).allMatch(task -> task.status() == TaskStatus.FINISHED);
    world.tasks().forEach(task -> assertOnTime(task, world));
  }

  /** Each starts at its time, or when the one before has ended: nothing had to be swept up. */
  private static void assertOnTime(Task task, SimulatedWorld world) {
    boolean waits = task.definition().overlap() == Overlap.WAIT;
    Instant free = Instant.MIN;
    for (SubTask subTask : world.allSubTasks(task.id())) {
      SubTask.Run run = subTask.run().orElseThrow();
      Instant possible = subTask.runAt().isAfter(free) ? subTask.runAt() : free;
      assertThat(run.startedAt()).as("%s", subTask).isBefore(possible.plusSeconds(1));
      free = waits ? run.finishedAt().orElseThrow() : free;
    }
  }

  @Test
  void mixedFaultsLoseAndDoubleNothing() throws InterruptedException {
    System.out.println(
        "simulation: " + RUNS + " runs from seed " + SEED + " (-Dsimulation.seed=" + SEED + ")");
    Seeds.each(SEED, RUNS, SimulationTest::runWithMixedFaults);
  }

  private static void runWithMixedFaults(long seed) {
    Random random = new Random(seed);
    SimulatedWorld unused =
        runOnce(
            seed,
            Faults.mixed(random),
            new Plan(
                    1 + random.nextInt(4),
                    2 + random.nextInt(12),
                    List.of(Overlap.values()),
                    true,
                    random.nextInt(30))
                .limited(SimulationTest::sometimes));
  }

  /** One key with the same limit for all, or one with limits that differ. */
  private static Optional<Concurrency> sometimes(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> Optional.of(new Concurrency("same", 1));
      case 1 -> Optional.of(new Concurrency("differs", 1 + random.nextInt(3)));
      default -> Optional.empty();
    };
  }

  @Test
  void aCrashAtAnyStepOfRunsWithOneKeyLosesNothingAndKeepsTheLimit() {
    crashAtAnyStep(new Plan(3, 2, List.of(Overlap.WAIT), false, 0).limitedTo(1));
  }

  @Test
  void asManyRunsWithOneKeyAreOnAsMay() {
    SimulatedWorld world =
        runOnce(7, Faults.NONE, new Plan(12, 12, List.of(Overlap.ALLOW), false, 0).limitedTo(3));

    assertThat(world.mostAtATime()).isEqualTo(3);
    assertThat(world.tasks()).allMatch(task -> task.status() == TaskStatus.FINISHED);
  }

  @Test
  void runsThatMayOverlapDo() {
    SimulatedWorld world =
        runOnce(7, Faults.NONE, new Plan(5, 12, List.of(Overlap.ALLOW), false, 0));

    assertThat(world.hasSeenOverlaps()).isTrue();
    world.tasks().forEach(task -> assertOnTime(task, world));
  }

  /**
   * What is to happen.
   *
   * @param overlaps what the tasks have one of
   * @param cancels whether some are canceled, and missed sub-tasks may be skipped
   * @param meddling how many times somebody does something to a task
   * @param limit what a task shares with others
   */
  private record Plan(
      int tasks,
      int firings,
      List<Overlap> overlaps,
      boolean cancels,
      int meddling,
      Function<Random, Optional<Concurrency>> limit) {

    Plan(int tasks, int firings, List<Overlap> overlaps, boolean cancels, int meddling) {
      this(tasks, firings, overlaps, cancels, meddling, random -> Optional.empty());
    }

    /** Every task shares the one key that there is. */
    Plan limitedTo(int most) {
      return limited(random -> Optional.of(new Concurrency("key", most)));
    }

    Plan limited(Function<Random, Optional<Concurrency>> chosen) {
      return new Plan(tasks, firings, overlaps, cancels, meddling, chosen);
    }
  }

  private static SimulatedWorld runOnce(long seed, Faults faults, Plan plan) {
    Random random = new Random(seed);
    SimulatedWorld world = new SimulatedWorld(seed, faults);
    for (int i = 0; i < 3; i++) {
      world.startWorker(Duration.ofMillis(random.nextInt(1_000)));
    }
    List<TaskDefinition> batch = new ArrayList<>();
    for (int i = 0; i < plan.tasks(); i++) {
      Duration interval =
          Duration.ofMillis(1_000 + random.nextInt(random.nextBoolean() ? 4_000 : 40_000));
      Optional<Duration> cancelAfter =
          plan.cancels() && random.nextInt(3) == 0
              ? Optional.of(Duration.ofMillis(random.nextInt(60_000)))
              : Optional.empty();
      Duration delay = Duration.ofMillis(random.nextInt(3_000));
      MisfirePolicy.Rule misfire =
          plan.cancels()
              ? anyOf(List.of(MisfirePolicy.Rule.values()), random)
              : MisfirePolicy.Rule.RUN_ALL;
      TaskDefinition task =
          task("task-" + i, interval, plan.firings(), misfire, anyOf(plan.overlaps(), random))
              .toBuilder()
              .concurrency(plan.limit().apply(random))
              .build();
      switch (random.nextInt(3)) {
        case 0 -> world.createTaskOnce(delay, task, cancelAfter);
        case 1 -> world.createTask(delay, task, cancelAfter);
        default -> batch.add(task);
      }
    }
    if (!batch.isEmpty()) {
      world.createBatchOnce(Duration.ofMillis(random.nextInt(3_000)), batch);
    }
    for (int i = 0; i < plan.meddling(); i++) {
      world.meddle(Duration.ofMillis(4_000 + random.nextInt(120_000)));
    }
    world.run(Duration.ofMinutes(3), Duration.ofHours(2));
    return world;
  }

  private static <T> T anyOf(List<T> choices, Random random) {
    return choices.get(random.nextInt(choices.size()));
  }

  private static TaskDefinition task(
      String name, Duration interval, int firings, MisfirePolicy.Rule misfire, Overlap overlap) {
    Map<String, Object> form = new LinkedHashMap<>();
    Instant start = SimulatedWorld.START.plusSeconds(4);
    form.put("interval", interval.toString());
    form.put("startTime", start.toString());
    form.put("endTime", start.plus(interval.multipliedBy(firings - 1L)).toString());
    Form read = Form.of(form);
    Schedule schedule =
        ScheduleReader.readNew(read, SimulatedWorld.START)
            .orElseThrow(() -> new AssertionError(read.problems().toString()));
    return TaskDefinition.builder(name, schedule, new Action.Log())
        .retry(new RetryPolicy(3, Duration.ofSeconds(2), 2, Duration.ofMinutes(1)))
        .misfire(new MisfirePolicy(misfire, Duration.ofSeconds(20)))
        .overlap(overlap)
        .build();
  }
}
