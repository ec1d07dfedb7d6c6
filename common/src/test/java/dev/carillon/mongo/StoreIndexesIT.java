package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import dev.carillon.testkit.TestStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class StoreIndexesIT {

  private final String uri = TestStore.shared().freshDatabase();
  private final MongoClient client = MongoClients.create(uri);

  @AfterEach
  void closeClient() {
    client.close();
  }

  @Test
  void eachQueryHasItsIndex() {
    start(Duration.ofDays(30));

    assertThat(indexes("tasks"))
        .containsOnlyKeys(
            "{\"_id\": 1}",
            "{\"wakeAt\": 1}",
            "{\"inLine.key\": 1, \"inLine.since\": 1}",
            "{\"status\": 1, \"_id\": 1}",
            "{\"definition.tags\": 1, \"_id\": 1}",
            "{\"definition.name\": 1, \"_id\": 1}");
    assertThat(indexes("sub_tasks"))
        .containsOnlyKeys(
            "{\"_id\": 1}",
            "{\"taskId\": 1, \"index\": 1}",
            "{\"taskId\": 1, \"status\": 1, \"index\": 1}",
            "{\"taskId\": 1, \"request.key\": 1}",
            "{\"finishedAt\": 1}");
    assertThat(indexes("concurrency_keys")).containsOnlyKeys("{\"_id\": 1}", "{\"until\": 1}");
    assertThat(indexes("idempotency_keys")).containsOnlyKeys("{\"_id\": 1}", "{\"takenAt\": 1}");
  }

  @Test
  void idempotencyKeysExpireAfterADay() {
    start(Duration.ofDays(30));

    Object expiry = indexes("idempotency_keys").get("{\"takenAt\": 1}").get("expireAfterSeconds");
    assertThat(((Number) expiry).longValue()).isEqualTo(Duration.ofDays(1).toSeconds());
  }

  @Test
  void startingAgainChangesNothing() {
    start(Duration.ofDays(30));
    Map<String, Document> tasks = indexes("tasks");
    Map<String, Document> subTasks = indexes("sub_tasks");

    start(Duration.ofDays(30));

    assertThat(indexes("tasks")).isEqualTo(tasks);
    assertThat(indexes("sub_tasks")).isEqualTo(subTasks);
  }

  @Test
  void theRetentionTimeCanBeChanged() {
    for (int days : new int[] {30, 7, 60, 60}) {
      start(Duration.ofDays(days));

      Object expiry = indexes("sub_tasks").get("{\"finishedAt\": 1}").get("expireAfterSeconds");
      assertThat(((Number) expiry).longValue()).isEqualTo(Duration.ofDays(days).toSeconds());
    }
    assertThat(indexes("sub_tasks")).hasSize(5);
  }

  @Test
  void theLongestRetentionTimeIsAccepted() {
    start(Duration.ofSeconds(Integer.MAX_VALUE));

    assertThat(indexes("sub_tasks").get("{\"finishedAt\": 1}").get("expireAfterSeconds"))
        .asString()
        .isEqualTo("2147483647");
  }

  private void start(Duration retention) {
    MongoSettings settings =
        new MongoSettings(uri, "StoreIndexesIT", MongoSettings.DEFAULT_TIMEOUT, retention);
    try (MongoTaskStore store = MongoTaskStore.open(settings)) {
      store.start();
    }
  }

  private Map<String, Document> indexes(String collection) {
    MongoDatabase database = client.getDatabase(MongoSettings.of(uri, "").database());
    Map<String, Document> byKey = new HashMap<>();
    for (Document index : database.getCollection(collection).listIndexes()) {
      byKey.put(index.get("key", Document.class).toJson(), index);
    }
    return byKey;
  }
}
