package dev.carillon.embedded;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Updates;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrencyTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @Test
  void oneOfManyWinsAClaim() throws Exception {
    int claimants = 16;
    int rounds = 40;
    try (Session session = Session.inMemory()) {
      session.tasks().insertOne(new Document("_id", "a").append("token", 0L).append("owner", null));
      CyclicBarrier start = new CyclicBarrier(claimants);
      AtomicInteger[] winners = new AtomicInteger[rounds];
      List<Callable<Void>> work = new ArrayList<>();
      for (int i = 0; i < rounds; i++) {
        winners[i] = new AtomicInteger();
      }
      for (int claimant = 0; claimant < claimants; claimant++) {
        String owner = "worker-" + claimant;
        work.add(
            () -> {
              for (int round = 0; round < rounds; round++) {
                start.await();
                if (claim(session.tasks(), round, owner)) {
                  winners[round].incrementAndGet();
                }
                start.await();
                release(session.tasks(), owner);
              }
              return null;
            });
      }
      run(work);
      assertThat(winners).extracting(AtomicInteger::get).containsOnly(1);
      assertThat(session.tasks().find().first()).containsEntry("token", (long) rounds);
    }
  }

  private static boolean claim(MongoCollection<Document> tasks, long token, String owner) {
    Bson free = and(eq("_id", "a"), eq("token", token), eq("owner", null));
    Bson taken = Updates.combine(Updates.set("owner", owner), Updates.inc("token", 1L));
    return tasks.findOneAndUpdate(free, taken) != null;
  }

  private static void release(MongoCollection<Document> tasks, String owner) {
    tasks.updateOne(and(eq("_id", "a"), eq("owner", owner)), Updates.set("owner", null));
  }

  @Test
  void readersNeverSeeADocumentHalfChanged(@TempDir Path folder) throws Exception {
    int documents = 20;
    int updates = 400;
    try (Session session = Session.on(folder)) {
      MongoCollection<Document> tasks = session.tasks();
      tasks.createIndex(new Document("group", 1).append("a", 1));
      tasks.insertMany(IntStream.range(0, documents).mapToObj(ConcurrencyTest::whole).toList());

      AtomicInteger writing = new AtomicInteger(2);
      AtomicInteger read = new AtomicInteger();
      List<Callable<Void>> work = new ArrayList<>();
      for (int writer = 0; writer < 2; writer++) {
        int own = writer;
        work.add(
            () -> {
              for (int i = 1; i <= updates; i++) {
                tasks.updateOne(eq("_id", (2 * i + own) % documents), changeEverywhere(i));
              }
              writing.decrementAndGet();
              return null;
            });
      }
      List<Iterable<Document>> queries =
          List.of(
              tasks.find(eq("_id", 3)),
              tasks.find().batchSize(3),
              tasks.find(and(eq("group", 0), gte("a", 0))),
              tasks.aggregate(List.of(new Document("$match", new Document("group", 0)))));
      for (Iterable<Document> query : queries) {
        work.add(
            () -> {
              while (writing.get() > 0) {
                for (Document found : query) {
                  assertWhole(found);
                  read.incrementAndGet();
                }
              }
              return null;
            });
      }
      run(work);
      assertThat(read.get()).isGreaterThan(documents);
      assertThat(tasks.find(and(eq("group", 0), gte("a", 0)))).hasSize(documents);
    }
  }

  private static Document whole(int id) {
    return new Document("_id", id)
        .append("group", 0)
        .append("a", 0)
        .append("b", 0)
        .append("nested", new Document("c", 0))
        .append("list", List.of(new Document("d", 0), new Document("d", 0)));
  }

  private static Bson changeEverywhere(int value) {
    return Updates.combine(
        Updates.set("a", value),
        Updates.set("b", value),
        Updates.set("nested.c", value),
        Updates.set("list.1.d", value),
        Updates.set("text", Integer.toString(value).repeat(20)));
  }

  private static void assertWhole(Document found) {
    int value = found.getInteger("a");
    assertThat(found.getInteger("b")).isEqualTo(value);
    assertThat(found.get("nested", Document.class).getInteger("c")).isEqualTo(value);
    assertThat(found.getList("list", Document.class).get(1).getInteger("d")).isEqualTo(value);
    assertThat(found.get("text", Integer.toString(value).repeat(20)))
        .isEqualTo(Integer.toString(value).repeat(20));
  }

  private void run(List<Callable<Void>> work) throws Exception {
    List<Future<Void>> running = new ArrayList<>();
    for (Callable<Void> part : work) {
      running.add(threads.submit(part));
    }
    for (Future<Void> part : running) {
      part.get();
    }
  }
}
