package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.testkit.TestBroker;
import dev.carillon.testkit.TestStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How late sub-tasks start, at a hundred a minute. */
final class LatenessIT {

  private static final int TASKS = 50;
  private static final Duration SPAN = Duration.ofSeconds(30);

  @Test
  void neverNegative() {
    long seed = System.nanoTime();
    System.out.println("due times from seed " + seed);
    Random random = new Random(seed);
    List<Long> lateness = new ArrayList<>();
    try (Installation carillon = new Installation(Map.of())) {
      carillon.startWorker("lateness");
      List<String> ids = new ArrayList<>();
      Instant start = Instant.now().plusSeconds(5);
      for (int i = 0; i < TASKS; i++) {
        Instant due = start.plusMillis(random.nextInt((int) SPAN.toMillis()));
        ids.add(
            carillon
                .api()
                .create(
                    "{'name': 'lateness', 'startTime': '%s', 'interval': 1, 'maxRuns': 1}"
                        .formatted(due)));
      }
      await()
          .atMost(SPAN.plusSeconds(90))
          .pollInterval(Duration.ofSeconds(1))
          .untilAsserted(
              () ->
                  assertThat(carillon.api().get("/api/tasks?status=ACTIVE").body().path("items"))
                      .as(carillon::tails)
                      .isEmpty());
      for (String id : ids) {
        JsonNode subTask = carillon.api().task(id).path("subTasks").path(0);
        assertThat(subTask.path("status").asText()).isEqualTo("SUCCEEDED");
        Instant dueAt = Instant.parse(subTask.path("dueAt").asText());
        Instant startedAt = Instant.parse(subTask.path("startedAt").asText());
        assertThat(startedAt).isAfterOrEqualTo(dueAt);
        lateness.add(subTask.path("latenessMs").asLong());
      }
    }
    lateness.sort(null);
    System.out.printf(
        "lateness of %d sub-tasks, 100 a minute, on %s and %s: p50 %d ms, p99 %d ms, max %d ms%n",
        TASKS,
        TestBroker.shared().description(),
        TestStore.shared().kind(),
        lateness.get(TASKS / 2 - 1),
        lateness.get(TASKS * 99 / 100 - 1),
        lateness.get(TASKS - 1));
    assertThat(lateness).allMatch(millis -> millis >= 0);
  }
}
