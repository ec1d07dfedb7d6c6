package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Thousands of firings without any fault, after which nothing may be left of them. */
final class Growth {

  private static final Fault NOTHING =
      new Fault("none, thousands of firings", Fault.Effects.NONE, (world, random) -> {});

  /** How many tasks fire at a time, each once a second. */
  private static final int TASKS = 100;

  private static final int MORE_THREADS = 12;
  private static final int MORE_FILES = 20;
  private static final double MORE_MEGABYTES = 4;

  private final ChaosWorld world;
  private final long seed;

  Growth(ChaosWorld world, long seed) {
    this.world = world;
    this.seed = seed;
  }

  /** What a process has. */
  private record Size(String process, double threads, double files, double megabytes) {

    static Size of(String process, ApiClient client) {
      return new Size(
          process,
          client.metric("jvm_threads_live_threads"),
          client.metric("process_files_open_files"),
          client.sumOfMetrics("jvm_memory_used_bytes{area=\"heap\"") / 1e6);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%s: %.0f threads, %.0f files, %.1f MB", process, threads, files, megabytes);
    }
  }

  /**
   * A third of the firings comes first, since a process that has done nothing yet is smaller.
   *
   * @return what came of them, with nothing in the way
   */
  Figures run(int firings) {
    Scenario scenario = new Scenario(world, NOTHING.name(), seed);
    System.out.printf("chaos: %s, %d firings%n", scenario.name(), firings);
    Set<String> accepted = new HashSet<>();
    fire(scenario.name(), firings / 3, accepted);
    List<Size> before = sizes();
    fire(scenario.name(), firings - firings / 3, accepted);
    List<Size> after = sizes();
    System.out.printf("chaos:   before: %s%nchaos:   after: %s%n", before, after);
    for (int i = 0; i < before.size(); i++) {
      String what = before.get(i) + " before, " + after.get(i) + " after";
      assertThat(after.get(i).threads())
          .as(what)
          .isLessThan(before.get(i).threads() + MORE_THREADS);
      assertThat(after.get(i).files()).as(what).isLessThan(before.get(i).files() + MORE_FILES);
      assertThat(after.get(i).megabytes())
          .as(what)
          .isPositive()
          .isLessThan(before.get(i).megabytes() + MORE_MEGABYTES);
    }
    return scenario.end(NOTHING, 1, accepted, List.of());
  }

  private void fire(String taskName, int firings, Set<String> accepted) {
    int wanted = world.ledger().begun() + firings / TASKS * TASKS;
    for (int i = 0; i < TASKS; i++) {
      accepted.add(
          world
              .api()
              .create(
                  "{'name': '%s', 'interval': 'PT1S', 'maxRuns': %d, 'misfire': 'run-all', 'action': {'type': 'http', 'url': '%s'}}"
                      .formatted(taskName, firings / TASKS, world.ledger().url())));
    }
    await()
        .atMost(Duration.ofMinutes(10))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> world.ledger().begun() >= wanted);
    List<Ledger.Entry> unused = world.ledger().entries(); // when all have ended
  }

  private List<Size> sizes() {
    return world.clients().entrySet().stream()
        .map(
            process -> {
              process.getKey().collectGarbage();
              return Size.of(process.getKey().name(), process.getValue());
            })
        .toList();
  }
}
