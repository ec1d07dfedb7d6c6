package dev.carillon.system;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is different when all messages wait on the wheel; the rest is {@link ChaosShortIT}. */
@Tag("chaos-short")
final class ChaosWheelIT {

  private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());

  private static ChaosWorld world;

  @TempDir private static Path folder;

  @BeforeAll
  static void start() {
    world = new ChaosWorld(folder, "wheel");
    System.out.println("chaos: " + world.description());
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  /** With messages of many notices in its hands. */
  @Test
  void aWorkerIsKilled() throws Exception {
    Figures unused =
        new Scenario(world, Faults.WORKER_KILLED.name(), SEED)
            .run(Faults.WORKER_KILLED, 2, Traffic.USUAL);
  }

  /** No queue can be taken away: what is canceled dies at its claim. */
  @Test
  void cancelsAtTheDueInstant() throws Exception {
    String unused = new CancelRace(world, SEED).run(100);
  }
}
