package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.carillon.mongo.MongoTaskStore;
import dev.carillon.store.TaskQuery;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** Users create tasks, and a fault happens over and over; then everything has to be right. */
final class Scenario {

  private static final Duration END_LIMIT = Duration.ofMinutes(3);
  private static final int ALL = 100_000;

  private final ChaosWorld world;
  private final Random random;
  private final String name;
  private final long leasesEndedBefore;

  Scenario(ChaosWorld world, String name, long seed) {
    this.world = world;
    this.random = new Random(seed);
    this.name = name + ", " + world.mode() + ", seed " + seed;
    this.leasesEndedBefore = world.leasesEnded();
  }

  /** What its tasks are called. */
  String name() {
    return name;
  }

  /** Has the fault happen so many times, each at some moment while things run. */
  Figures run(Fault fault, int rounds, Traffic.Kind kind) throws Exception {
    System.out.printf("chaos: %s, %d times%n", name, rounds);
    List<Duration> recoveries = new ArrayList<>();
    Traffic traffic = world.startTraffic(name, kind);
    int aSecond = (int) Math.ceil(kind.perSecond() * kind.runs());
    try (traffic) {
      for (int round = 1; round <= rounds; round++) {
        world.awaitRuns(aSecond + random.nextInt(2 * aSecond));
        Instant began = Instant.now();
        fault.strike().on(world, random);
        Instant returned = Instant.now();
        recoveries.add(world.awaitRecovery(returned));
        System.out.printf(
            "chaos:   %d of %d, lasted %.1f s, recovered after %.1f s%n",
            round,
            rounds,
            Duration.between(began, returned).toMillis() / 1e3,
            recoveries.get(recoveries.size() - 1).toMillis() / 1e3);
      }
    }
    assertThat(traffic.wrongAnswers()).as("neither 201, nor 503 with Retry-After").isEmpty();
    System.out.printf(
        "chaos:   %d creates accepted, %d failed or not answered, the slowest answer took %.1f s%n",
        traffic.accepted().size(), traffic.unanswered(), traffic.slowest().toMillis() / 1e3);
    return end(fault, rounds, traffic.accepted(), recoveries);
  }

  /** Waits for the end of all tasks of this name, and checks them. */
  Figures end(Fault fault, int rounds, Set<String> accepted, List<Duration> recoveries) {
    awaitEnd();
    List<Task> tasks = tasks(Optional.empty());
    assertThat(tasks.stream().map(task -> task.id().value()).collect(Collectors.toSet()))
        .as("tasks that were accepted")
        .containsAll(accepted);
    Audit audit = new Audit(fault.effects(), ChaosWorld.LEASE).of(tasks, world.ledger().entries());
    Figures figures =
        new Figures(fault.name(), world.mode(), rounds, tasks.size(), audit, recoveries);
    System.out.println("chaos:   " + figures.line());
    assertThat(audit.violations()).as("%s", name).isEmpty();
    if (fault.effects() != Fault.Effects.LATE_FINISH_OR_HAND_BACK) {
      assertThat(audit.handedBack())
          .as("attempts that ended without a cause, %s", name)
          .isLessThanOrEqualTo((int) (world.leasesEnded() - leasesEndedBefore));
    }
    world.awaitNoQueueLeft(name, fault.effects() == Fault.Effects.NONE ? 0 : rounds);
    return figures;
  }

  private List<Task> tasks(Optional<TaskStatus> status) {
    return world
        .store()
        .list(new TaskQuery(status, Optional.empty(), Optional.of(name), Optional.empty(), ALL));
  }

  private void awaitEnd() {
    await()
        .atMost(END_LIMIT)
        .pollInterval(Duration.ofMillis(200))
        .ignoreExceptionsMatching(
            e -> e instanceof RuntimeException failure && MongoTaskStore.isAway(failure))
        .untilAsserted(
            () ->
                assertThat(tasks(Optional.of(TaskStatus.ACTIVE)))
                    .as("tasks that have not come to their end; %s", world.tails())
                    .isEmpty());
  }
}
