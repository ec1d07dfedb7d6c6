package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Others that want to be left alone, runs that kill their workers, workers that are away. */
final class FailuresIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int LOST_WORKERS_LIMIT = 2;
  private static final Duration MISFIRE_GRACE = Duration.ofSeconds(1);

  private final Receiver receiver = new Receiver();
  private final CountDownLatch end = new CountDownLatch(1);
  private final Installation carillon =
      new Installation(
          Map.of(
              "LEASE", "PT3S",
              "GRACE", "PT2S",
              "SHUTDOWN_GRACE", "PT1S",
              "LOST_WORKERS_LIMIT", "" + LOST_WORKERS_LIMIT));

  @AfterEach
  void stop() {
    end.countDown();
    carillon.close();
    receiver.close();
  }

  private String create(String name, String more) {
    return carillon
        .api()
        .create(
            "{'name': '%s', 'interval': 'PT1S', %s, 'action': {'type': 'http', 'url': '%s'}}"
                .formatted(name, more, receiver.url()));
  }

  private void awaitRuns(String id, int howMany) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(receiver.runsOf(id))
                    .as(carillon::tails)
                    .hasSizeGreaterThanOrEqualTo(howMany));
  }

  private void awaitFinished(String id) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(carillon.api().task(id).path("status").asText())
                    .as(carillon::tails)
                    .isEqualTo("FINISHED"));
  }

  private List<JsonNode> subTasks(String id) {
    return StreamSupport.stream(carillon.api().subTasks(id).spliterator(), false).toList();
  }

  private static String status(JsonNode subTask) {
    return subTask.path("status").asText();
  }

  /**
   * In seconds, and as a date; meanwhile the sub-task waits in a queue and keeps no thread busy.
   */
  @Test
  void theOtherSideIsLeftAloneForAsLongAsItWishes() throws Exception {
    ApiClient worker = carillon.startWorker("only", Map.of("WORKER_CONCURRENCY", "1"));
    List<Instant> notBefore = new ArrayList<>();
    receiver.giveAnswers(
        run ->
            switch (run.attempt()) {
              case 1 -> {
                notBefore.add(Instant.now().plusSeconds(4));
                yield new Receiver.Answer(429, Map.of("Retry-After", "4"));
              }
              case 2 -> {
                Instant date = Instant.now().plusSeconds(4).truncatedTo(ChronoUnit.SECONDS);
                notBefore.add(date);
                String header =
                    DateTimeFormatter.RFC_1123_DATE_TIME.format(date.atOffset(ZoneOffset.UTC));
                yield new Receiver.Answer(503, Map.of("Retry-After", header));
              }
              default -> new Receiver.Answer(204, Map.of());
            });
    String id = create("busy", "'maxRuns': 1, 'retry': {'maxAttempts': 3, 'initialDelay': 'PT1S'}");

    awaitRuns(id, 1);
    JsonNode waiting =
        await()
            .atMost(PATIENCE)
            .until(() -> carillon.api().task(id).path("subTasks").path(0), one -> isParked(one));
    try (BrokerProbe probe = new BrokerProbe(carillon.amqpUri())) {
      assertThat(probe.exists(waiting.path("queue").asText())).isTrue();
    }
    assertThat(worker.metric("carillon_attempts_running")).isZero();

    awaitFinished(id);
    List<Receiver.Run> runs = receiver.runsOf(id);
    assertThat(runs).extracting(Receiver.Run::attempt).containsExactly(1, 2, 3);
    assertThat(runs.get(1).at()).isAfterOrEqualTo(notBefore.get(0));
    assertThat(runs.get(2).at()).isAfterOrEqualTo(notBefore.get(1));
    assertThat(status(subTasks(id).get(0))).isEqualTo("SUCCEEDED");
  }

  private static boolean isParked(JsonNode subTask) {
    return status(subTask).equals("PENDING") && subTask.path("attempt").asInt() == 1;
  }

  @Test
  void whatKillsItsWorkersIsPutAsideAndEverythingElseGoesOn() throws Exception {
    carillon.startWorker("first");
    carillon.startWorker("second");
    String poison = create("poison", "'maxRuns': 1");
    receiver.answerWith(
        run -> {
          if (run.taskId().equals(poison) && run.attempt() <= LOST_WORKERS_LIMIT) {
            awaitEnd();
          }
          return 204;
        });
    String other = create("other", "'maxRuns': 12, 'misfire': 'run-all'");

    for (int attempt = 1; attempt <= LOST_WORKERS_LIMIT; attempt++) {
      awaitRuns(poison, attempt);
      carillon.workerOf(poison).kill();
      carillon.startWorker("after-" + attempt);
    }

    JsonNode word = awaitParked(1);
    assertThat(word.path("taskId").asText()).isEqualTo(poison);
    assertThat(word.path("index").asInt()).isZero();
    assertThat(word.path("reason").asText()).startsWith(LOST_WORKERS_LIMIT + " workers were lost");
    assertThat(status(subTasks(poison).get(0))).isEqualTo("FAILED");
    awaitFinished(other);
    assertThat(subTasks(other)).extracting(FailuresIT::status).containsOnly("SUCCEEDED");

    assertThat(carillon.api().post(parked(word) + "/retry", "").status()).isEqualTo(204);
    awaitRuns(poison, LOST_WORKERS_LIMIT + 1);
    awaitFinished(poison);
    assertThat(status(subTasks(poison).get(0))).isEqualTo("SUCCEEDED");
    assertThat(carillon.api().get("/api/parked").body().path("items")).isEmpty();
  }

  private void awaitEnd() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private JsonNode awaitParked(int howMany) {
    return await()
        .atMost(PATIENCE)
        .until(
            () -> carillon.api().get("/api/parked").body().path("items"),
            items -> items.size() == howMany)
        .path(howMany - 1);
  }

  private static String parked(JsonNode word) {
    return "/api/parked/" + word.path("id").asText();
  }

  @Test
  void whatIsNoNoticeIsPutAsideAndEverythingElseGoesOn() throws Exception {
    ApiClient worker = carillon.startWorker("only", Map.of());
    String task = create("after", "'maxRuns': 2");
    try (BrokerProbe probe = new BrokerProbe(carillon.amqpUri())) {
      probe.send("carillon.work", "what is this?");
    }

    JsonNode word = awaitParked(1);
    assertThat(word.path("preview").asText()).isEqualTo("what is this?");
    assertThat(word.path("reason").asText()).isNotBlank();
    assertThat(worker.metric("carillon_messages_set_aside_total")).isEqualTo(1);
    awaitFinished(task);
    assertThat(carillon.api().delete(parked(word)).status()).isEqualTo(204);
    assertThat(carillon.api().delete(parked(word)).status()).isEqualTo(404);
    assertThat(carillon.api().get("/api/parked").body().path("items")).isEmpty();
  }

  /** Each task says for itself what becomes of what nobody could run in time. */
  @Test
  void whatWasMissedWhileNoWorkerWasThereFollowsItsPolicy() {
    JarProcess before = carillon.startWorker("before");
    String fields = "'maxRuns': 20, 'misfireGrace': '" + MISFIRE_GRACE + "', 'misfire': '%s'";
    String all = create("all", fields.formatted("run-all"));
    String latest = create("latest", fields.formatted("run-latest"));
    String none = create("none", fields.formatted("skip"));
    Stream.of(all, latest, none).forEach(id -> awaitRuns(id, 1));
    int code = before.stop();
    assertThat(code).isIn(0, 143);
    Instant from = Instant.now();
    await().atMost(PATIENCE).until(() -> Instant.now().isAfter(from.plusSeconds(8)));
    Instant until = Instant.now().minus(MISFIRE_GRACE);
    carillon.startWorker("after");
    Stream.of(all, latest, none).forEach(this::awaitFinished);

    assertThat(subTasks(all)).extracting(FailuresIT::status).containsOnly("SUCCEEDED");
    assertThat(receiver.runsOf(all))
        .extracting(Receiver.Run::index)
        .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());

    List<JsonNode> missed = missed(none, from, until);
    assertThat(missed).hasSizeGreaterThan(4).allMatch(one -> status(one).equals("SKIPPED"));
    assertThat(missed).allMatch(one -> one.path("error").asText().startsWith("misfire"));

    missed = missed(latest, from, until);
    List<JsonNode> subTasks = subTasks(latest);
    JsonNode afterwards =
        subTasks.stream()
            .dropWhile(one -> !status(one).equals("SKIPPED"))
            .dropWhile(one -> status(one).equals("SKIPPED"))
            .findFirst()
            .orElseThrow();
    assertThat(missed.subList(0, missed.size() - 1)).allMatch(one -> status(one).equals("SKIPPED"));
    assertThat(status(afterwards)).isEqualTo("SUCCEEDED");
    assertThat(afterwards.path("latenessMs").asLong())
        .as("how late the latest missed one was run after all")
        .isGreaterThan(MISFIRE_GRACE.toMillis());
    assertThat(receiver.runsOf(latest))
        .extracting(Receiver.Run::index)
        .containsExactlyElementsOf(
            subTasks.stream()
                .filter(one -> status(one).equals("SUCCEEDED"))
                .map(one -> one.path("index").asLong())
                .toList());
  }

  /** What fell due while nobody was there, and was too late when somebody came. */
  private List<JsonNode> missed(String id, Instant from, Instant until) {
    return subTasks(id).stream()
        .filter(one -> Instant.parse(one.path("dueAt").asText()).isAfter(from))
        .filter(one -> Instant.parse(one.path("dueAt").asText()).isBefore(until))
        .toList();
  }
}
