package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.rabbit.PendingShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every fault, over and over, with notices in own queues, in the wheel, and in both. Takes long:
 * run by {@code ./test chaos}, which leaves the figures in {@code target/chaos.md}. The property
 * {@code chaos.modes} says which of the three, {@code chaos.rounds} how often each fault happens,
 * {@code chaos.burst}, {@code chaos.firings} and {@code chaos.cancels} how large these are; {@code
 * chaos.seed} repeats the random decisions of an earlier run.
 */
@Tag("chaos")
@ParameterizedClass
@MethodSource("modes")
final class ChaosIT {

  private static final int ROUNDS = Integer.getInteger("chaos.rounds", 4);
  private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());
  private static final int BURST = Integer.getInteger("chaos.burst", 2_000);
  private static final int FIRINGS = Integer.getInteger("chaos.firings", 3_000);
  private static final int CANCELS = Integer.getInteger("chaos.cancels", 10_000);

  /** Within this the API answers, whatever is the matter; the default of its setting. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(15);

  /** So long that a worker is always in the middle of some, shorter than tasks' intervals. */
  static final Duration LONG_RUN = Duration.ofMillis(700);

  /** More than an API has that carries out 32 requests at a time, and talks to its servers. */
  private static final int MOST_THREADS = 120;

  private static final List<String> table = new ArrayList<>();
  private static final List<String> notes = new ArrayList<>();
  private static ChaosWorld world;

  @TempDir private static Path folder;

  private final PendingShape.Mode mode;

  ChaosIT(PendingShape.Mode mode) {
    this.mode = mode;
  }

  static List<PendingShape.Mode> modes() {
    return Stream.of(System.getProperty("chaos.modes", "own,wheel,auto").split(","))
        .map(mode -> PendingShape.Mode.valueOf(mode.toUpperCase(Locale.ROOT)))
        .toList();
  }

  @BeforeAll
  static void start() {
    world = new ChaosWorld(folder, modes().get(0));
    System.out.println("chaos: " + world.description());
  }

  @BeforeEach
  void useTheMode() {
    world.switchTo(mode);
  }

  @AfterAll
  static void stop() throws IOException {
    String text =
        "%s\n\n%s%s\n\n%s\n"
            .formatted(
                world.description(),
                Figures.HEAD,
                String.join("\n", table),
                String.join("\n", notes));
    System.out.println(text);
    Files.writeString(Path.of("target", "chaos.md"), text);
    world.close();
  }

  private static Figures run(Fault fault, int rounds) throws Exception {
    return run(fault, rounds, Traffic.USUAL);
  }

  private static Figures run(Fault fault, int rounds, Traffic.Kind kind) throws Exception {
    return noted(new Scenario(world, fault.name(), SEED).run(fault, rounds, kind));
  }

  private static Figures noted(Figures figures) {
    table.add(figures.line());
    return figures;
  }

  /** Some faults take a while each. */
  private static int fewer() {
    return Math.max(1, ROUNDS / 2);
  }

  @Test
  void aWorkerIsKilled() throws Exception {
    run(Faults.WORKER_KILLED, ROUNDS);
  }

  @Test
  void allWorkersAreKilled() throws Exception {
    run(Faults.ALL_WORKERS_KILLED, fewer());
  }

  @Test
  void aWorkerIsStopped() throws Exception {
    run(Faults.WORKER_TERMINATED, ROUNDS);
  }

  @Test
  void aFrozenWorkerThatFinishesLateIsRefused() throws Exception {
    world.ledger().holdEach(run -> LONG_RUN);
    try {
      run(Faults.WORKER_FROZEN, ROUNDS);
    } finally {
      world.ledger().holdEach(Ledger::mixed);
    }
    assertThat(world.metricOfWorkers("carillon_claims_lost_total"))
        .as("outcomes that came too late")
        .isPositive();
  }

  @Test
  void theApiIsKilledInTheMiddleOfCreates() throws Exception {
    run(Faults.API_KILLED, ROUNDS);
  }

  @Test
  void theBrokerIsKilled() throws Exception {
    run(Faults.BROKER_KILLED, fewer());
  }

  @Test
  void theBrokerIsKilledWhileThousandsExpire() throws Exception {
    noted(new Burst(world, SEED).run(BURST));
  }

  @Test
  void theBrokerIsWiped() throws Exception {
    run(Faults.BROKER_WIPED, fewer());
  }

  @Test
  void connectionsAreCut() throws Exception {
    run(Faults.CONNECTIONS_CUT, ROUNDS);
  }

  @Test
  void aRunThatIsLongerThanTheDeliveryTimeoutRunsOnce() throws Exception {
    Duration timeout = Duration.ofSeconds(3);
    world.limitDeliveries(timeout);
    world.ledger().holdEach(run -> timeout.multipliedBy(2));
    try {
      Figures figures = run(Faults.DELIVERY_TIMEOUT, fewer(), new Traffic.Kind(0.7, 3, ""));
      assertThat(figures.audit().repeated()).isZero();
    } finally {
      world.ledger().holdEach(Ledger::mixed);
      world.limitDeliveries(Duration.ofMinutes(30));
    }
  }

  @Test
  void theBrokerIsShortOfMemory() throws Exception {
    run(Faults.BROKER_SHORT_OF_MEMORY, fewer());
    assertThat(world.traffic().unanswered()).as("tasks that were not accepted").isZero();
    assertThat(world.traffic().slowest()).as("slowest create").isLessThan(REQUEST_TIMEOUT);
    assertThat(world.api().metric("jvm_threads_peak_threads"))
        .as("threads of the API at most")
        .isPositive()
        .isLessThan(MOST_THREADS);
  }

  @Test
  void pendingQueuesAreDeleted() throws Exception {
    run(Faults.PENDING_QUEUES_DELETED, ROUNDS);
  }

  @Test
  void pendingQueuesCannotBeDeclared() throws Exception {
    run(mode == PendingShape.Mode.WHEEL ? Faults.SLOTS_TAKEN : Faults.PENDING_QUEUES_TAKEN, ROUNDS);
    assertThat(world.metricOfWorkers("carillon_notices_not_parked_total"))
        .as("notices that were refused")
        .isPositive();
  }

  @Test
  void theWorkQueueIsPurged() throws Exception {
    run(Faults.WORK_QUEUE_PURGED, fewer());
  }

  @Test
  void theWorkQueueIsDeleted() throws Exception {
    run(Faults.WORK_QUEUE_DELETED, ROUNDS);
  }

  @Test
  void theStoreIsFrozen() throws Exception {
    runOnStore(Faults.STORE_FROZEN);
  }

  @Test
  void theStoreIsStopped() throws Exception {
    runOnStore(Faults.STORE_STOPPED);
  }

  @Test
  void theStoreIsKilled() throws Exception {
    runOnStore(Faults.STORE_KILLED);
  }

  @Test
  void everythingIsKilled() throws Exception {
    runOnStore(Faults.EVERYTHING_KILLED);
  }

  private static void runOnStore(Fault fault) throws Exception {
    if (world.storeServer().isPresent()) {
      run(fault, fewer());
    } else {
      System.out.println("chaos: left out, since the store is not ours to break: " + fault.name());
    }
  }

  @Test
  void whatWasMissedIsSkippedWithTheReasonAndCounted() throws Exception {
    Figures figures =
        run(Faults.WORKERS_ABSENT, fewer(), new Traffic.Kind(3, 5, ", 'misfireGrace': 'PT1S'"));
    assertThat(figures.audit().skipped()).isPositive();
  }

  @Test
  void nothingIsLeftOfThousandsOfFirings() {
    noted(new Growth(world, SEED).run(FIRINGS));
  }

  @Test
  void cancelsAtTheDueInstant() throws Exception {
    notes.add(mode + ": " + new CancelRace(world, SEED).run(CANCELS));
  }
}
