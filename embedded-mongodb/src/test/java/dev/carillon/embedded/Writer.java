package dev.carillon.embedded;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.Document;

/**
 * A process that writes until it is killed, and says on its output which writes were acknowledged:
 * {@code id version} for each document, {@code batch name} for a batch of them.
 */
final class Writer {

  static final int THREADS = 4;
  static final int BATCH = 10;
  static final List<String> STATUSES = List.of("ACTIVE", "PAUSED", "FINISHED");

  private Writer() {}

  /** Takes the data folder, a name for this run and a seed. */
  public static void main(String[] args) throws Exception {
    Session session = Session.on(Path.of(args[0]));
    MongoCollection<Document> tasks = session.tasks();
    tasks.createIndex(Indexes.ascending("status", "wakeAt"));
    tasks.createIndex(Indexes.ascending("claim"), new IndexOptions().unique(true).sparse(true));
    PrintStream acknowledged = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (int thread = 0; thread < THREADS; thread++) {
      String prefix = args[1] + "-" + thread + "-";
      Random random = new Random(Long.parseLong(args[2]) + thread);
      new Thread(() -> write(tasks, prefix, random, acknowledged)).start();
    }
  }

  /** Ends when nobody listens any more, so that it never outlives the test. */
  private static void write(
      MongoCollection<Document> tasks, String prefix, Random random, PrintStream acknowledged) {
    for (int n = 0; !acknowledged.checkError(); n++) {
      String id = prefix + n;
      switch (n % 4) {
        case 0, 1 -> {
          tasks.insertOne(new Document("_id", id).append("version", 1).append("twin", 1));
          acknowledged.println(id + " 1");
        }
        case 2 -> {
          String earlier = prefix + (n - 2);
          update(tasks, earlier, random);
          acknowledged.println(earlier + " 2");
        }
        default -> {
          tasks.insertMany(IntStream.range(0, BATCH).mapToObj(i -> inBatch(id, i)).toList());
          acknowledged.println("batch " + id);
        }
      }
    }
    System.exit(1);
  }

  private static Document inBatch(String batch, int i) {
    return new Document("_id", batch + "/" + i).append("batch", batch).append("twin", 0);
  }

  private static void update(MongoCollection<Document> tasks, String id, Random random) {
    tasks.updateOne(
        eq("_id", id),
        Updates.combine(
            Updates.inc("version", 1),
            Updates.inc("twin", 1),
            Updates.set("status", STATUSES.get(random.nextInt(STATUSES.size()))),
            Updates.set("wakeAt", Session.at(random.nextInt(1_000))),
            Updates.set("claim", "claim-" + id)));
  }
}
