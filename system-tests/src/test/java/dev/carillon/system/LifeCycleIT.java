package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/**
 * What users do with tasks that are there, on a real broker. Nearly all of it is waiting, which the
 * tests do beside each other.
 */
final class LifeCycleIT {

  private static Installation carillon;
  private static BrokerProbe broker;

  private final Receiver receiver = new Receiver();

  @BeforeAll
  static void start() throws Exception {
    carillon = new Installation(Map.of());
    carillon.startWorker("first");
    broker = new BrokerProbe(carillon.amqpUri());
  }

  @AfterEach
  void stopReceiver() {
    receiver.close();
  }

  @AfterAll
  static void stop() throws Exception {
    broker.close();
    carillon.close();
  }

  private String create(String fields) {
    return carillon
        .api()
        .create(
            "{'name': 'life', %s, 'action': {'type': 'http', 'url': '%s'}}"
                .formatted(fields, receiver.url()));
  }

  private static JsonNode task(String id) {
    return carillon.api().task(id);
  }

  private static String queueOf(String id) {
    for (JsonNode subTask : task(id).path("subTasks")) {
      if (!subTask.path("queue").isNull()) {
        return subTask.path("queue").asText();
      }
    }
    throw new AssertionError("nothing is parked: " + task(id));
  }

  private List<Long> runsOf(String id) {
    return receiver.runsOf(id).stream().map(Receiver.Run::index).toList();
  }

  private static void awaitGone(String queue) {
    await().atMost(Duration.ofSeconds(60)).until(() -> isGone(queue));
  }

  private static boolean isGone(String queue) throws IOException {
    return !broker.exists(queue);
  }

  private static void awaitFinished(String id) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(task(id).path("status").asText())
                    .as(carillon::tails)
                    .isEqualTo("FINISHED"));
  }

  @Test
  @Execution(CONCURRENT)
  void fromAnHourAheadToTenSecondsAheadThereIsExactlyOneRun() throws Exception {
    Instant hour = Instant.now().plusSeconds(3_600);
    String id = create("'at': '%s'".formatted(hour));
    String queue = queueOf(id);
    assertThat(broker.exists(queue)).isTrue();
    Instant soon = Instant.now().plusSeconds(10);

    ApiClient.Answer patched =
        carillon.api().patch("/api/tasks/" + id, "{\"at\": \"%s\"}".formatted(soon));

    assertThat(patched.status()).as(patched.body().toString()).isEqualTo(200);
    assertThat(queueOf(id)).isNotEqualTo(queue);
    awaitGone(queue);
    awaitFinished(id);
    List<Receiver.Run> runs = receiver.runsOf(id);
    assertThat(runs).hasSize(1);
    assertThat(runs.get(0).at()).isAfterOrEqualTo(runs.get(0).dueAt());
    assertThat(Duration.between(soon, runs.get(0).dueAt()).abs()).isLessThan(Duration.ofMillis(2));
    assertThat(task(id).path("counts").path("SUCCEEDED").asInt()).isEqualTo(1);
  }

  @Test
  @Execution(CONCURRENT)
  void aTriggeredRunIsExtraAndOneCanceledSubTaskIsLeftOut() {
    Instant start = Instant.now().plusSeconds(10);
    String id =
        create("'interval': 'PT1S', 'startTime': '%s', 'maxRuns': 4".formatted(start.toString()));
    String task = "/api/tasks/" + id;
    JsonNode before = task(id).path("subTasks");

    for (int i = 0; i < 3; i++) {
      ApiClient.Answer triggered = carillon.api().postKeyed(task + "/trigger", "", "now");
      assertThat(triggered.status()).isEqualTo(201);
      assertThat(triggered.body().path("index").asLong()).isEqualTo(-1);
    }
    assertThat(carillon.api().delete(task + "/sub-tasks/2").status()).isEqualTo(204);
    awaitFinished(id);

    assertThat(runsOf(id)).containsExactly(-1L, 0L, 1L, 3L);
    JsonNode after = task(id).path("subTasks");
    for (int i = 0; i < 4; i++) {
      assertThat(after.path(i).path("dueAt")).isEqualTo(before.path(i).path("dueAt"));
    }
    assertThat(after.path(2).path("status").asText()).isEqualTo("CANCELED");
    assertThat(carillon.api().delete(task + "/sub-tasks/1").status()).isEqualTo(409);
    assertThat(carillon.api().postKeyed(task + "/trigger", "", "later").status()).isEqualTo(409);
    assertThat(carillon.api().postKeyed(task + "/trigger", "", "now").status()).isEqualTo(201);
  }

  @Test
  @Execution(CONCURRENT)
  void aPastRangeIsRunOnceEachMarkedAndASecondApart() {
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    String id = create("'cron': '0 8 * * *', 'startTime': '%s'".formatted(today.minusDays(9)));
    List<String> wanted =
        LongStream.of(4, 3, 2).mapToObj(days -> today.minusDays(days) + "T08:00:00Z").toList();
    String range =
        "{\"from\": \"%s\", \"to\": \"%sT23:59:59Z\"}".formatted(wanted.get(0), today.minusDays(2));

    ApiClient.Answer answer =
        carillon.api().postKeyed("/api/tasks/" + id + "/backfill", range, "k");
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(202);
    assertThat(answer.body().path("instants").asInt()).isEqualTo(3);
    assertThat(carillon.api().postKeyed("/api/tasks/" + id + "/backfill", range, "k").body())
        .isEqualTo(answer.body());

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(task(id).path("counts").path("SUCCEEDED").asInt())
                    .as(carillon::tails)
                    .isEqualTo(3));
    List<Receiver.Run> runs = receiver.runsOf(id);
    assertThat(runs).extracting(run -> run.dueAt().toString()).isEqualTo(wanted);
    for (int i = 1; i < 3; i++) {
      assertThat(Duration.between(runs.get(i - 1).at(), runs.get(i).at()))
          .as("a second but for the time that a request takes")
          .isGreaterThan(Duration.ofMillis(500));
    }
    for (JsonNode extra : task(id).path("extras")) {
      assertThat(extra.path("origin").asText()).isEqualTo("BACKFILL");
    }
    assertThat(task(id).path("backfills")).isEmpty();
  }

  @Test
  @Execution(CONCURRENT)
  void whatWasMissedInAPauseIsSkippedButForTheLatest() {
    String id = create("'interval': 'PT1S', 'misfire': 'run-latest', 'misfireGrace': 'PT1S'");
    awaitRuns(id, 1);
    assertThat(carillon.api().post("/api/tasks/" + id + "/pause", "").status()).isEqualTo(200);
    Instant paused = Instant.now();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> Instant.now().isAfter(paused.plusSeconds(6)));
    assertThat(receiver.runsOf(id)).allMatch(run -> run.at().isBefore(paused.plusSeconds(2)));
    int before = receiver.runsOf(id).size();

    assertThat(carillon.api().post("/api/tasks/" + id + "/resume", "").status()).isEqualTo(200);
    awaitRuns(id, before + 2);
    assertThat(carillon.api().delete("/api/tasks/" + id).status()).isEqualTo(204);

    long skipped = 0;
    for (JsonNode subTask : carillon.api().subTasks(id)) {
      skipped += subTask.path("status").asText().equals("SKIPPED") ? 1 : 0;
    }
    assertThat(skipped).isBetween(3L, 10L);
    assertThat(runsOf(id)).doesNotHaveDuplicates().isSorted();
  }

  private void awaitRuns(String id, int count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(receiver.runsOf(id))
                    .as(carillon::tails)
                    .hasSizeGreaterThanOrEqualTo(count));
  }

  @Test
  @Execution(CONCURRENT)
  void resumingAfterTheEndFinishes() {
    Instant end = Instant.now().plusSeconds(10);
    String id =
        create("'startTime': '%s', 'endTime': '%s', 'interval': 'PT1S'".formatted(end, end));
    assertThat(carillon.api().post("/api/tasks/" + id + "/pause", "").status()).isEqualTo(200);
    await().atMost(Duration.ofSeconds(60)).until(() -> Instant.now().isAfter(end.plusSeconds(1)));

    JsonNode resumed = carillon.api().post("/api/tasks/" + id + "/resume", "").body();

    assertThat(resumed.path("status").asText()).isEqualTo("FINISHED");
    assertThat(resumed.path("counts").path("SKIPPED").asInt()).isEqualTo(1);
    assertThat(receiver.runsOf(id)).isEmpty();
  }

  @Test
  @Execution(CONCURRENT)
  void aFailedSubTaskIsRunOnceMoreUnderItsKey() {
    receiver.answerWith(run -> run.index() == 0 && run.attempt() == 1 ? 400 : 204);
    String id = create("'interval': 'PT1S', 'maxRuns': 2");
    awaitFinished(id);
    String first = "/api/tasks/" + id + "/sub-tasks/0";
    assertThat(carillon.api().get(first).body().path("status").asText()).isEqualTo("FAILED");

    assertThat(carillon.api().post(first + "/retry", "").status()).isEqualTo(202);

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(carillon.api().get(first).body().path("status").asText())
                    .isEqualTo("SUCCEEDED"));
    awaitFinished(id);
    assertThat(receiver.runsOf(id))
        .extracting(Receiver.Run::key)
        .containsExactly(id + "_0", id + "_1", id + "_0");
    assertThat(task(id).path("counts").path("FAILED").asInt()).isZero();
  }
}
