package dev.carillon.embedded;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Updates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactionTest {

  private static final int DOCUMENTS = 100;
  private static final int UPDATES = 1_000;

  @TempDir Path folder;

  /** Text that does not compress, so that sizes tell something. */
  private static String text(Random random) {
    byte[] bytes = new byte[2_000];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void theFileDoesNotGrowWithTheNumberOfUpdates() throws IOException {
    Random random = new Random(1);
    long written = UPDATES * 4_000L;
    try (Session session = Session.on(folder)) {
      MongoCollection<Document> tasks = session.tasks();
      tasks.insertMany(
          IntStream.range(0, DOCUMENTS)
              .mapToObj(i -> new Document("_id", i).append("text", text(random)))
              .toList());
      for (int i = 0; i < UPDATES; i++) {
        tasks.updateOne(eq("_id", random.nextInt(DOCUMENTS)), Updates.set("text", text(random)));
      }
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> assertThat(fileSize()).isLessThan(written / 2));
      assertThat(tasks.find()).hasSize(DOCUMENTS);
    }
    try (Session session = Session.on(folder)) {
      assertThat(session.tasks().find())
          .hasSize(DOCUMENTS)
          .allSatisfy(task -> assertThat(task.getString("text")).hasSize(4_000));
    }
  }

  private long fileSize() throws IOException {
    return Files.size(folder.resolve(DataFile.NAME));
  }
}
