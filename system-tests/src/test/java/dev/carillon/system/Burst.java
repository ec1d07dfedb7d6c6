package dev.carillon.system;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Many tasks that are due within a few seconds, in the middle of which the broker is killed. */
final class Burst {

  private static final Duration SPAN = Duration.ofSeconds(4);
  private static final int USERS = 8;

  private final ChaosWorld world;
  private final long seed;
  private final String name;

  Burst(ChaosWorld world, long seed) {
    this.world = world;
    this.seed = seed;
    this.name = "the broker killed while many expire";
  }

  Figures run(int size) throws Exception {
    Scenario scenario = new Scenario(world, name, seed);
    Instant first = Instant.now().plusSeconds(20).plusMillis(30L * size);
    Set<String> accepted = create(scenario.name(), size, first);
    System.out.printf(
        "chaos: %s: %d tasks created %s before the first is due%n",
        scenario.name(), size, Duration.between(Instant.now(), first));
    int before = world.ledger().begun();
    await()
        .atMost(Duration.between(Instant.now(), first).plusMinutes(1))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> world.ledger().begun() >= before + size / 20);
    world.broker().kill9();
    int ranBefore = world.ledger().begun() - before;
    world.broker().start();
    Duration recovery =
        world.awaitRecovery(Instant.now(), () -> world.ledger().begun() >= before + size);
    System.out.printf("chaos:   %d of %d ran before the kill%n", ranBefore, size);
    Fault fault =
        new Fault(
            "the broker killed while " + size + " notices expire",
            Fault.Effects.NONE,
            (w, r) -> {});
    return scenario.end(fault, 1, accepted, List.of(recovery));
  }

  private Set<String> create(String taskName, int size, Instant first) throws Exception {
    Set<String> accepted = ConcurrentHashMap.newKeySet();
    ExecutorService users = Executors.newFixedThreadPool(USERS);
    try {
      List<Future<?>> creations =
          IntStream.range(0, size)
              .<Future<?>>mapToObj(
                  i ->
                      users.submit(
                          () -> accepted.add(create(taskName, first.plusMillis(offset(i, size))))))
              .toList();
      for (Future<?> creation : creations) {
        creation.get();
      }
    } finally {
      users.shutdownNow();
    }
    return accepted;
  }

  private static long offset(int i, int size) {
    return SPAN.toMillis() * i / size;
  }

  private String create(String taskName, Instant due) {
    return world
        .api()
        .create(
            "{'name': '%s', 'startTime': '%s', 'interval': 1, 'maxRuns': 1, 'misfire': 'run-all', 'action': {'type': 'http', 'url': '%s'}}"
                .formatted(taskName, due, world.ledger().url()));
  }
}
