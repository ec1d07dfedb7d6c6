package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything in one process, as {@code ./run} starts it. */
final class AllInOneIT {

  private final int httpPort = Installation.freePort();
  private final int mongoPort = Installation.freePort();
  private final Receiver receiver = new Receiver();
  private JarProcess process;

  @TempDir private Path dataFolder;

  private ApiClient start() {
    process =
        JarProcess.start(
            "scheduler-dev",
            Map.of(
                "HTTP_PORT",
                "" + httpPort,
                "EMBEDDED_MONGODB_PORT",
                "" + mongoPort,
                "DATA_DIR",
                dataFolder.toString(),
                "LEASE", // what the killed process ran is repeated after it
                "PT8S"));
    await()
        .atMost(Duration.ofSeconds(60))
        .failFast("the process has ended", process::requireAlive)
        .until(() -> process.output().contains("Ready: http://localhost:" + httpPort));
    return new ApiClient(httpPort);
  }

  @AfterEach
  void stop() {
    process.close();
    receiver.close();
  }

  private void awaitFinished(ApiClient api, String id) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(api.task(id).path("status").asText())
                    .as(process::tail)
                    .isEqualTo("FINISHED"));
  }

  @Test
  void aTaskGoesOnWhereItWasAfterAKill() {
    ApiClient api = start();
    assertThat(api.isReady()).isTrue();
    String id =
        api.create(
            "{'name': 'survives', 'interval': 'PT2S', 'maxRuns': 3, 'action': {'type': 'http',"
                + " 'url': '"
                + receiver.url()
                + "'}}");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(receiver.runsOf(id)).isNotEmpty());
    process.kill();

    ApiClient again = start();
    awaitFinished(again, id);
    List<Long> indices = receiver.runsOf(id).stream().map(Receiver.Run::index).distinct().toList();
    assertThat(indices).containsExactly(0L, 1L, 2L);
    assertThat(receiver.runsOf(id)).allMatch(run -> !run.at().isBefore(run.dueAt()));
    for (JsonNode subTask : again.subTasks(id)) {
      assertThat(subTask.path("status").asText()).isEqualTo("SUCCEEDED");
    }
    assertThat(process.stop()).as(process::tail).isIn(0, 143);
  }

  @Test
  void aSecondOneOnTheSameDataIsRefusedWithWhatToDo() {
    start();
    JarProcess second =
        JarProcess.start(
            "scheduler-dev",
            Map.of(
                "HTTP_PORT",
                "" + Installation.freePort(),
                "EMBEDDED_MONGODB_PORT",
                "" + Installation.freePort(),
                "DATA_DIR",
                dataFolder.toString()));
    await().atMost(Duration.ofSeconds(60)).until(() -> !second.isAlive());
    assertThat(second.tail()).contains(dataFolder.toString());
    assertThat(second.stop()).isNotZero();
  }
}
