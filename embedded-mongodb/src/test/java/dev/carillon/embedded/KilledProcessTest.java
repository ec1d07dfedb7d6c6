package dev.carillon.embedded;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process acknowledged is there after it was killed in the middle of writing. */
class KilledProcessTest {

  private static final int ROUNDS = 4;
  private static final long SEED = 20_261_201;

  @TempDir Path folder;

  private final Map<String, Integer> acknowledgedVersions = new HashMap<>();
  private final Set<String> acknowledgedBatches = new HashSet<>();

  @Test
  void everyAcknowledgedWriteSurvives() throws Exception {
    Random random = new Random(SEED);
    for (int round = 0; round < ROUNDS; round++) {
      int acknowledgements = 100 + random.nextInt(500);
      System.out.printf(
          "Seed %d, round %d: killed after %d writes%n", SEED, round, acknowledgements);
      writeAndKill("r" + round, random.nextLong(1_000), acknowledgements);
      try (Session session = Session.on(folder)) {
        assertDataComplete(session.tasks());
        assertIndexesAgree(session);
      }
    }
  }

  private void writeAndKill(String run, long seed, int acknowledgements) throws Exception {
    Process writer = start(run, seed);
    try (BufferedReader output = writer.inputReader()) {
      for (int i = 0; i < acknowledgements; i++) {
        note(output.readLine());
      }
      writer.toHandle().destroyForcibly(); // unlike the process itself, it leaves the output open
      output.lines().forEach(this::note);
    } finally {
      writer.destroyForcibly().waitFor();
    }
  }

  private Process start(String run, long seed) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1", // it does not live long enough for more
            "-cp",
            System.getProperty("java.class.path"),
            Writer.class.getName(),
            folder.toString(),
            run,
            Long.toString(seed))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** The last line may be cut off; a write whose acknowledgement cannot be read counts as none. */
  private void note(String line) {
    assertThat(line).as("the writer ended by itself").isNotNull();
    String[] words = line.split(" ", -1);
    if (words.length == 2 && words[0].equals("batch")) {
      acknowledgedBatches.add(words[1]);
    } else if (words.length == 2 && words[1].matches("[12]")) {
      acknowledgedVersions.put(words[0], Integer.valueOf(words[1]));
    }
  }

  private void assertDataComplete(MongoCollection<Document> tasks) {
    Map<String, Document> stored =
        StreamSupport.stream(tasks.find().spliterator(), false)
            .collect(toMap(task -> task.getString("_id"), Function.identity()));
    acknowledgedVersions.forEach(
        (id, version) -> {
          assertThat(stored.get(id)).as(id).isNotNull();
          assertThat(stored.get(id).getInteger("version")).as(id).isGreaterThanOrEqualTo(version);
        });
    Map<String, Integer> batches = new HashMap<>();
    for (Document task : stored.values()) {
      if (task.containsKey("batch")) {
        batches.merge(task.getString("batch"), 1, Integer::sum);
      } else {
        assertThat(task.getInteger("twin")).isEqualTo(task.getInteger("version"));
      }
    }
    assertThat(acknowledgedBatches).allMatch(batches::containsKey);
    assertThat(batches.values()).as("batches are whole").containsOnly(Writer.BATCH);
  }

  private static void assertIndexesAgree(Session session) {
    MongoCollection<Document> tasks = session.tasks();
    Map<String, Long> byStatus = new HashMap<>();
    Document claimed = null;
    for (Document task : tasks.find()) {
      if (task.containsKey("status")) {
        byStatus.merge(task.getString("status"), 1L, Long::sum);
        claimed = task;
      }
    }
    for (String status : Writer.STATUSES) {
      long expected = byStatus.getOrDefault(status, 0L);
      long before = session.documentsExamined();
      assertThat(tasks.find(and(eq("status", status), gte("wakeAt", Session.at(0)))))
          .hasSize(Math.toIntExact(expected));
      assertThat(session.documentsExamined() - before).isEqualTo(expected);
    }
    assertThat(tasks.find(eq("claim", claimed.get("claim")))).containsExactly(claimed);
    for (Document duplicate :
        List.of(
            new Document("_id", claimed.get("_id")),
            new Document("_id", "other").append("claim", claimed.get("claim")))) {
      assertThatThrownBy(() -> tasks.insertOne(duplicate))
          .isInstanceOfSatisfying(
              MongoWriteException.class, e -> assertThat(e.getCode()).isEqualTo(11000));
    }
  }

  @Test
  void aSecondProcessIsRefused() throws Exception {
    Process first = start("first", 1);
    try (BufferedReader output = first.inputReader()) {
      assertThat(output.readLine()).isNotNull();
      assertThatThrownBy(() -> EmbeddedMongoDb.start("127.0.0.1", 0, folder))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining(folder.resolve(DataFile.NAME).toString())
          .hasMessageContaining("in use by another process");
    } finally {
      first.destroyForcibly().waitFor();
    }
  }
}
