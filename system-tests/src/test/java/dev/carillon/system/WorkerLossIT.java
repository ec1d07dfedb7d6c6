package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers that end while they run something. */
final class WorkerLossIT {

  private final Receiver receiver = new Receiver();
  private final CountDownLatch firstMayEnd = new CountDownLatch(1);
  private Installation carillon;

  @BeforeEach
  void start() {
    carillon = new Installation(Map.of("LEASE", "PT3S", "SHUTDOWN_GRACE", "PT1S"));
    carillon.startWorker("first");
    carillon.startWorker("second");
    receiver.answerWith(
        run -> {
          if (run.attempt() == 1 && run.index() == 0) {
            awaitEndOfFirst();
          }
          return 204;
        });
  }

  private void awaitEndOfFirst() {
    try {
      firstMayEnd.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void stop() {
    firstMayEnd.countDown();
    carillon.close();
    receiver.close();
  }

  private String createAndAwaitFirstRun() {
    String id =
        carillon
            .api()
            .create(
                "{'name': 'loses its worker', 'interval': 'PT1S', 'maxRuns': 3, 'action':"
                    + " {'type': 'http', 'url': '"
                    + receiver.url()
                    + "'}}");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(receiver.runsOf(id)).hasSize(1));
    return id;
  }

  private void awaitFinished(String id) {
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () ->
                assertThat(carillon.api().task(id).path("status").asText())
                    .as(carillon::tails)
                    .isEqualTo("FINISHED"));
  }

  private void assertFirstWasRepeatedAndNothingElse(String id) {
    List<Receiver.Run> runs = receiver.runsOf(id);
    assertThat(runs).extracting(Receiver.Run::index).containsExactly(0L, 0L, 1L, 2L);
    assertThat(runs).extracting(Receiver.Run::attempt).containsExactly(1, 2, 1, 1);
    assertThat(runs)
        .extracting(Receiver.Run::key)
        .containsExactly(id + "_0", id + "_0", id + "_1", id + "_2");
  }

  @Test
  void aWorkerThatIsKilledInAHandlerIsReplacedAfterItsLease() {
    String id = createAndAwaitFirstRun();
    carillon.workerOf(id).kill();

    awaitFinished(id);
    assertFirstWasRepeatedAndNothingElse(id);
    JsonNode first = carillon.api().subTasks(id).path(0);
    assertThat(first.path("status").asText()).isEqualTo("SUCCEEDED");
  }

  @Test
  void aWorkerThatIsStoppedInAHandlerHandsItBackAtOnce() {
    String id = createAndAwaitFirstRun();
    JarProcess worker = carillon.workerOf(id);
    int exitCode = worker.stop();

    awaitFinished(id);
    assertThat(exitCode).as(worker::tail).isIn(0, 143);
    assertFirstWasRepeatedAndNothingElse(id);
    assertThat(worker.output()).anyMatch(line -> line.contains("handed back"));
  }
}
