package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.carillon.embedded.EmbeddedMongoDb;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Task;
import dev.carillon.task.Tasks;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that goes away and comes back. */
final class AvailabilityIT {

  private static final Duration TIMEOUT = Duration.ofMillis(500);

  /** Above the timeout, for a machine that is busy; far below a minute. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private final Chain chain = new Chain(Tasks.parking(Duration.ofDays(1)), Chain.Settings.DEFAULT);
  private final Task task =
      chain.create(Tasks.id(1), Tasks.every(Duration.ofMinutes(1)), Tasks.NOW).orElseThrow();

  private EmbeddedMongoDb server;
  private Line line;
  private MongoTaskStore store;

  @BeforeEach
  void startServer() throws IOException {
    server = EmbeddedMongoDb.startInMemory();
    line = new Line(server.port());
    store =
        MongoTaskStore.open(
            new MongoSettings(
                "mongodb://127.0.0.1:" + line.port() + "/test",
                "AvailabilityIT",
                TIMEOUT,
                MongoSettings.DEFAULT_ARCHIVE_RETENTION));
  }

  @AfterEach
  void stopServer() throws IOException {
    store.close();
    line.close();
    server.close();
  }

  @Test
  void isToldSoonWhenNobodyListens() {
    assertAwaySoon(() -> store.find(task.id()));
  }

  @Test
  void isToldSoonWhenNothingComesBack() throws IOException {
    line.connect();
    insertWhenConnected();

    line.goDead();

    assertAwaySoon(() -> store.find(task.id()));
    assertAwaySoon(() -> store.insert(task));
    KeyedCreation keyed = new KeyedCreation("key", "request", task.id(), task.createdAt());
    assertAwaySoon(() -> store.findKeyed("key", task.createdAt()));
    assertAwaySoon(() -> store.takeKey(keyed));
    assertAwaySoon(() -> store.purgeKeys(task.createdAt(), 10));
    assertAwaySoon(() -> store.exchange(List.of(new Exchange(task, canceled()))));
    assertAwaySoon(() -> store.overdue(Tasks.NOW, 10));
    assertAwaySoon(() -> store.now());
  }

  private static void assertAwaySoon(Runnable operation) {
    long start = System.nanoTime();
    RuntimeException failure = catchThrowableOfType(RuntimeException.class, operation::run);
    Duration took = Duration.ofNanos(System.nanoTime() - start);

    assertThat(failure).isNotNull();
    assertThat(MongoTaskStore.isAway(failure)).as("is away: %s", failure).isTrue();
    assertThat(took).isLessThan(SOON);
  }

  @Test
  void worksAgainWhenItIsBack() throws IOException {
    line.connect();
    insertWhenConnected();
    line.cut();
    assertAwaySoon(() -> store.find(task.id()));

    line.connect();

    await()
        .atMost(SOON)
        .ignoreExceptionsMatching(e -> MongoTaskStore.isAway((RuntimeException) e))
        .untilAsserted(() -> assertThat(store.find(task.id())).contains(task));
    assertThat(store.exchange(List.of(new Exchange(task, canceled())))).containsExactly(true);
  }

  private Task canceled() {
    return chain.cancel(task, Tasks.NOW);
  }

  @Test
  void getsItsIndexesWhenItIsThere() throws IOException {
    store.start();

    line.connect();

    try (MongoClient client = MongoClients.create(server.connectionString())) {
      await().atMost(SOON).until(() -> indexesOf(client, "sub_tasks").size() == 5);
      assertThat(indexesOf(client, "tasks")).hasSize(6);
    }
    insertWhenConnected();
    assertThat(store.find(task.id())).contains(task);
  }

  private void insertWhenConnected() {
    await()
        .atMost(SOON)
        .ignoreExceptionsMatching(e -> MongoTaskStore.isAway((RuntimeException) e))
        .untilAsserted(() -> store.insert(task));
  }

  private static List<Document> indexesOf(MongoClient client, String collection) {
    return client
        .getDatabase("test")
        .getCollection(collection)
        .listIndexes()
        .into(new ArrayList<>());
  }

  @Test
  void canBeClosedTwiceAndWhileItIsAway() {
    store.start();

    store.close();
    store.close();
  }
}
