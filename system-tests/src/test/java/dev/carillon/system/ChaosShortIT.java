package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Some faults, a few times each: what {@link ChaosIT} does at length. */
@Tag("chaos-short")
final class ChaosShortIT {

  private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());

  private static ChaosWorld world;

  @TempDir private static Path folder;

  @BeforeAll
  static void start() {
    world = new ChaosWorld(folder, "auto");
    System.out.println("chaos: " + world.description());
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  private static void run(Fault fault, int rounds) throws Exception {
    Figures unused = new Scenario(world, fault.name(), SEED).run(fault, rounds, Traffic.USUAL);
  }

  @Test
  void aWorkerIsKilled() throws Exception {
    run(Faults.WORKER_KILLED, 2);
  }

  @Test
  void aFrozenWorkerThatFinishesLateIsRefused() throws Exception {
    run(Faults.WORKER_FROZEN, 1);
    assertThat(world.metricOfWorkers("carillon_claims_lost_total"))
        .as("outcomes that came too late")
        .isPositive();
  }

  @Test
  void theBrokerIsWiped() throws Exception {
    run(Faults.BROKER_WIPED, 1);
  }

  @Test
  void connectionsAreCut() throws Exception {
    run(Faults.CONNECTIONS_CUT, 2);
  }

  @Test
  void cancelsAtTheDueInstant() throws Exception {
    String unused = new CancelRace(world, SEED).run(200);
  }
}
