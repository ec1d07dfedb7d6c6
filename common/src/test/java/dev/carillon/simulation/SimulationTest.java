package dev.carillon.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import dev.carillon.schedule.Schedule;
import dev.carillon.schedule.ScheduleReader;
import dev.carillon.task.Action;
import dev.carillon.task.MisfirePolicy;
import dev.carillon.task.RetryPolicy;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The guarantees, under every fault that the simulated world knows. */
final class SimulationTest {

  private static final int RUNS = Integer.getInteger("simulation.runs", 3_000);
  private static final long SEED = Long.getLong("simulation.seed", System.nanoTime());

  @Test
  void aCrashAtAnyStepLosesAndDoublesNothing() {
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
        runOnce(42, counted, 2, 3, false);
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
    SimulatedWorld world = runOnce(7, Faults.NONE, 5, 12, false);
    assertThat(world.tasks()).hasSize(5).allMatch(task -> task.status() == TaskStatus.FINISHED);
  }

  @Test
  void mixedFaultsLoseAndDoubleNothing() {
    System.out.println(
        "simulation: " + RUNS + " runs from seed " + SEED + " (-Dsimulation.seed=" + SEED + ")");
    for (int run = 0; run < RUNS; run++) {
      long seed = SEED + run;
      try {
        Random random = new Random(seed);
        runOnce(seed, Faults.mixed(random), 1 + random.nextInt(4), 2 + random.nextInt(12), true);
      } catch (Throwable e) {
        throw new AssertionError("fails with -Dsimulation.runs=1 -Dsimulation.seed=" + seed, e);
      }
    }
  }

  private static SimulatedWorld runOnce(
      long seed, Faults faults, int tasks, int firings, boolean cancels) {
    Random random = new Random(seed);
    SimulatedWorld world = new SimulatedWorld(seed, faults);
    for (int i = 0; i < 3; i++) {
      world.startWorker(Duration.ofMillis(random.nextInt(1_000)));
    }
    for (int i = 0; i < tasks; i++) {
      Duration interval =
          Duration.ofMillis(1_000 + random.nextInt(random.nextBoolean() ? 4_000 : 40_000));
      Optional<Duration> cancelAfter =
          cancels && random.nextInt(3) == 0
              ? Optional.of(Duration.ofMillis(random.nextInt(60_000)))
              : Optional.empty();
      Duration delay = Duration.ofMillis(random.nextInt(3_000));
      MisfirePolicy.Rule misfire = cancels ? anyOf(random) : MisfirePolicy.Rule.RUN_ALL;
      TaskDefinition task = task("task-" + i, interval, firings, misfire);
      if (random.nextBoolean()) {
        world.createTaskOnce(delay, task, cancelAfter);
      } else {
        world.createTask(delay, task, cancelAfter);
      }
    }
    world.run(Duration.ofMinutes(3), Duration.ofHours(2));
    return world;
  }

  private static MisfirePolicy.Rule anyOf(Random random) {
    return List.of(MisfirePolicy.Rule.values()).get(random.nextInt(3));
  }

  private static TaskDefinition task(
      String name, Duration interval, int firings, MisfirePolicy.Rule misfire) {
    Map<String, Object> form = new LinkedHashMap<>();
    Instant start = SimulatedWorld.START.plusSeconds(4);
    form.put("interval", interval.toString());
    form.put("startTime", start.toString());
    form.put("endTime", start.plus(interval.multipliedBy(firings - 1L)).toString());
    Form read = Form.of(form);
    Schedule schedule =
        ScheduleReader.readNew(read, SimulatedWorld.START)
            .orElseThrow(() -> new AssertionError(read.problems().toString()));
    return new TaskDefinition(
        name,
        schedule,
        new Action.Log(),
        new RetryPolicy(3, Duration.ofSeconds(2), 2, Duration.ofMinutes(1)),
        TaskDefinition.DEFAULT_TIMEOUT,
        new MisfirePolicy(misfire, Duration.ofSeconds(20)),
        List.of(),
        Map.of());
  }
}
