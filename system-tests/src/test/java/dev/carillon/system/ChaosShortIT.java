package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.rabbit.PendingShape.Mode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Some faults, once or twice each: what {@link ChaosIT} does at length. In an order that changes
 * what notices wait in as seldom as possible.
 */
@Tag("chaos-short")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ChaosShortIT {

  private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());

  private static ChaosWorld world;

  @TempDir private static Path folder;

  @BeforeAll
  static void start() {
    world = new ChaosWorld(folder, Mode.OWN);
    System.out.println("chaos: " + world.description());
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  private static void run(Mode mode, Fault fault, int rounds) throws Exception {
    world.switchTo(mode);
    Figures unused = new Scenario(world, fault.name(), SEED).run(fault, rounds, Traffic.USUAL);
  }

  @Test
  @Order(1)
  void cancelsAtTheDueInstant() throws Exception {
    String unused = new CancelRace(world, SEED).run(200);
  }

  @Test
  @Order(2)
  void connectionsAreCut() throws Exception {
    run(Mode.OWN, Faults.CONNECTIONS_CUT, 1);
  }

  @Test
  @Order(5)
  void aWorkerIsKilled() throws Exception {
    run(Mode.AUTO, Faults.WORKER_KILLED, 2);
  }

  @Test
  @Order(3)
  void aFrozenWorkerThatFinishesLateIsRefused() throws Exception {
    world.ledger().holdEach(run -> ChaosIT.LONG_RUN);
    run(Mode.WHEEL, Faults.WORKER_FROZEN, 1);
    world.ledger().holdEach(Ledger::mixed);
    assertThat(world.metricOfWorkers("carillon_claims_lost_total"))
        .as("outcomes that came too late")
        .isPositive();
  }

  @Test
  @Order(4)
  void theBrokerIsWiped() throws Exception {
    run(Mode.WHEEL, Faults.BROKER_WIPED, 1);
  }
}
