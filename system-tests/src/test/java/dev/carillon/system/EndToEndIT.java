package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The main job: an API and workers as processes, on a real broker. */
final class EndToEndIT {

  private static Installation carillon;
  private static Receiver receiver;
  private static BrokerProbe broker;

  @BeforeAll
  static void start() throws Exception {
    receiver = new Receiver();
    carillon = new Installation(Map.of());
    carillon.startWorker("first");
    broker = new BrokerProbe(carillon.amqpUri());
  }

  @AfterAll
  static void stop() throws Exception {
    broker.close();
    carillon.close();
    receiver.close();
  }

  private static String httpTask(String schedule) {
    return "{'name': 'end to end', %s, 'action': {'type': 'http', 'url': '%s'}}"
        .formatted(schedule, receiver.url());
  }

  private static void awaitStatus(String id, String status) {
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () ->
                assertThat(carillon.api().task(id).path("status").asText())
                    .as(carillon::tails)
                    .isEqualTo(status));
  }

  @Test
  void aTaskRunsEachOfItsSubTasksOnceInOrderAndOnTime() {
    String id = carillon.api().create(httpTask("'interval': 'PT1S', 'maxRuns': 4"));
    awaitStatus(id, "FINISHED");

    JsonNode task = carillon.api().task(id);
    assertThat(task.path("counts").path("SUCCEEDED").asInt()).isEqualTo(4);
    assertThat(task.path("totalSubTasks").asInt()).isEqualTo(4);
    List<Receiver.Run> runs = receiver.runsOf(id);
    assertThat(runs).extracting(Receiver.Run::index).containsExactly(0L, 1L, 2L, 3L);
    assertThat(runs).allMatch(run -> !run.at().isBefore(run.dueAt()));
    assertThat(runs)
        .extracting(Receiver.Run::key)
        .containsExactly(id + "_0", id + "_1", id + "_2", id + "_3");
    for (JsonNode subTask : carillon.api().subTasks(id)) {
      assertThat(subTask.path("status").asText()).isEqualTo("SUCCEEDED");
      assertThat(subTask.path("attempt").asInt()).isEqualTo(1);
      assertThat(subTask.path("latenessMs").asLong()).isNotNegative();
      assertThat(subTask.path("worker").asText()).isNotEmpty();
    }
  }

  @Test
  void thePendingQueueIsThereWhileASubTaskWaitsAndGoneAfterwards() throws Exception {
    String id = carillon.api().create(httpTask("'interval': 'PT3S', 'maxRuns': 1"));
    String queue = carillon.api().task(id).path("subTasks").path(0).path("queue").asText();

    assertThat(queue).contains(id);
    assertThat(broker.exists(queue)).isTrue();
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("x-queue-type", "classic");
    arguments.put("x-dead-letter-exchange", "carillon.work");
    arguments.put("x-dead-letter-routing-key", "carillon.work");
    arguments.put("x-expires", 1L);
    String life =
        broker.complaintAbout(queue, arguments).orElseThrow().replaceAll(".*current is '|'$", "");
    // the wait, which is a little shorter than the interval, and ten minutes more
    assertThat(Long.parseLong(life)).isBetween(600_001L, 603_000L);
    arguments.put("x-expires", Long.parseLong(life));
    assertThat(broker.complaintAbout(queue, arguments)).isEmpty();
    arguments.put("x-dead-letter-exchange", "elsewhere");
    assertThat(broker.complaintAbout(queue, arguments).orElseThrow())
        .contains("x-dead-letter-exchange");
    assertThat(broker.peek(queue).getDeliveryMode()).as("persistent").isEqualTo(2);
    assertThat(Long.parseLong(broker.peek(queue).getExpiration())).isBetween(1L, 3_000L);

    awaitStatus(id, "FINISHED");
    assertThat(broker.exists(queue)).isFalse();
    assertThat(receiver.runsOf(id)).hasSize(1);
  }

  @Test
  void afterACancelNothingStartsAndNoQueueIsLeft() throws Exception {
    String id = carillon.api().create(httpTask("'interval': 'PT1S'"));
    Set<String> queues = new HashSet<>();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              queues.addAll(queuesOf(id));
              assertThat(receiver.runsOf(id)).hasSizeGreaterThanOrEqualTo(2);
            });

    queues.addAll(queuesOf(id));
    assertThat(carillon.api().delete("/api/tasks/" + id).status()).isEqualTo(204);
    Instant canceledAt = Instant.now();
    assertThat(carillon.api().delete("/api/tasks/" + id).status()).isEqualTo(204);

    List<String> left = new ArrayList<>(queues);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              for (String queue : queues) {
                if (!broker.exists(queue)) {
                  left.remove(queue);
                }
              }
              assertThat(left).isEmpty();
            });
    // two more of its instants have to pass before "nothing starts" means anything
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Instant.now().isAfter(canceledAt.plusMillis(2_500)));
    JsonNode task = carillon.api().task(id);
    assertThat(task.path("status").asText()).isEqualTo("CANCELED");
    for (JsonNode subTask : carillon.api().subTasks(id)) {
      if (!subTask.path("startedAt").isNull()) {
        assertThat(Instant.parse(subTask.path("startedAt").asText())).isBefore(canceledAt);
      }
    }
    assertThat(receiver.runsOf(id)).allMatch(run -> run.at().isBefore(canceledAt.plusSeconds(1)));
  }

  private static Set<String> queuesOf(String id) {
    Set<String> queues = new HashSet<>();
    for (JsonNode subTask : carillon.api().task(id).path("subTasks")) {
      if (!subTask.path("queue").isNull()) {
        queues.add(subTask.path("queue").asText());
      }
    }
    return queues;
  }

  @Test
  void aFailedAttemptIsRepeatedUnderTheSameKeyAndUsedUpAttemptsLetTheChainGoOn() {
    String id =
        carillon
            .api()
            .create(
                "{'name': 'fails', 'interval': 'PT1S', 'maxRuns': 2,"
                    + " 'retry': {'maxAttempts': 2, 'initialDelay': 'PT0.2S'},"
                    + " 'action': {'type': 'http', 'url': '"
                    + receiver.url()
                    + "'}}");
    receiver.answerWith(run -> run.taskId().equals(id) && run.index() == 0 ? 500 : 204);
    awaitStatus(id, "FINISHED");
    receiver.answerWith(run -> 204);

    assertThat(receiver.runsOf(id))
        .extracting(Receiver.Run::key)
        .containsExactly(id + "_0", id + "_0", id + "_1");
    assertThat(receiver.runsOf(id)).extracting(Receiver.Run::attempt).containsExactly(1, 2, 1);
    JsonNode failed = carillon.api().subTasks(id).path(0);
    assertThat(failed.path("status").asText()).isEqualTo("FAILED");
    assertThat(failed.path("error").asText()).contains("500");
  }

  @Test
  void twentyTasksOnTwoWorkersRunEverySubTaskOnceAndInOrder() {
    JarProcess second = carillon.startWorker("second");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ids.add(carillon.api().create(httpTask("'interval': 'PT1S', 'maxRuns': 5")));
    }
    ids.forEach(id -> awaitStatus(id, "FINISHED"));
    for (String id : ids) {
      assertThat(receiver.runsOf(id))
          .extracting(Receiver.Run::index)
          .containsExactlyElementsOf(LongStream.range(0, 5).boxed().toList());
      assertThat(receiver.runsOf(id)).allMatch(run -> !run.at().isBefore(run.dueAt()));
    }
    assertThat(second.stop()).as("exit code after SIGTERM").isIn(0, 143);
  }
}
