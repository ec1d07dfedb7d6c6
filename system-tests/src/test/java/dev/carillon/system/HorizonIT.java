package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import dev.carillon.system.ApiClient.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** Many tasks that are far away cost little. {@code ./bench} does the same with a million. */
final class HorizonIT {

  private static final int FAR = 6_000;
  private static final int BATCH = 1_000;
  private static final int NEAR = 40;
  private static final int OWN_QUEUES = 20;

  private static final Map<String, String> SETTINGS =
      Map.of("OWN_QUEUES", "" + OWN_QUEUES, "REQUEST_TIMEOUT", "PT1M", "SWEEP_INTERVAL", "PT0.2S");

  @Test
  void whatIsFarAwayHasFewQueuesAndDoesNotHoldUpWhatIsNear() throws Exception {
    try (Installation carillon = new Installation(SETTINGS);
        MongoClient client = MongoClients.create(carillon.mongodbUri());
        BrokerProbe probe = new BrokerProbe(carillon.amqpUri())) {
      MongoDatabase database =
          client.getDatabase(carillon.mongodbUri().replaceAll(".*/([^/?]+).*", "$1"));
      for (int from = 0; from < FAR; from += BATCH) {
        create(carillon, BATCH, "\"delay\": \"PT%dM\"".formatted(60 + from / BATCH));
      }
      List<String> own = ownQueues(database);
      assertThat(own).hasSizeBetween(1, OWN_QUEUES);
      for (String queue : own) {
        assertThat(probe.exists(queue)).as(queue).isTrue();
      }

      carillon.startWorker("one");
      long examined = examined(database);
      Instant due = Instant.now().plusSeconds(10);
      List<String> near = create(carillon, NEAR, "\"at\": \"%s\"".formatted(due));
      await()
          .atMost(Duration.ofSeconds(90))
          .untilAsserted(
              () -> assertThat(finished(carillon.api())).as(carillon::tails).containsAll(near));

      assertThat(examined(database) - examined)
          .as("documents looked at by sweeps and claims meanwhile")
          .isLessThan(FAR);
      assertThat(ownQueues(database)).containsAll(own).hasSizeLessThanOrEqualTo(OWN_QUEUES);
    }
  }

  /** So many tasks that fire once; their ids. */
  private static List<String> create(Installation carillon, int count, String schedule) {
    String tasks =
        IntStream.range(0, count)
            .mapToObj(i -> "{\"name\": \"horizon\", " + schedule + "}")
            .collect(Collectors.joining(",", "[", "]"));
    Answer answer = carillon.api().post("/api/tasks/batch", tasks);
    assertThat(answer.body().path("created").asInt()).as(carillon::tails).isEqualTo(count);
    List<String> ids = new ArrayList<>();
    for (JsonNode result : answer.body().path("results")) {
      ids.add(result.path("id").asText());
    }
    return ids;
  }

  private static List<String> finished(ApiClient api) {
    List<String> ids = new ArrayList<>();
    for (JsonNode task : api.get("/api/tasks?status=FINISHED&limit=200").body().path("items")) {
      ids.add(task.path("id").asText());
    }
    return ids;
  }

  private static List<String> ownQueues(MongoDatabase database) {
    List<String> queues = new ArrayList<>();
    for (Document task :
        database.getCollection("tasks").find(Filters.eq("status", "ACTIVE")).batchSize(1_000)) {
      for (Document subTask : task.getList("subTasks", Document.class)) {
        String queue = subTask.getString("queue");
        if (queue != null && queue.contains(".pending.")) {
          queues.add(queue);
        }
      }
    }
    return queues;
  }

  private static long examined(MongoDatabase database) {
    return database
        .runCommand(new Document("serverStatus", 1))
        .getEmbedded(List.of("metrics", "queryExecutor", "scannedObjects"), Number.class)
        .longValue();
  }
}
