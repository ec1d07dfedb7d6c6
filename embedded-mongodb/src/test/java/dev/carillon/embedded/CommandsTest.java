package dev.carillon.embedded;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import com.mongodb.client.result.UpdateResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The commands that a task store needs, with the driver it uses. */
class CommandsTest {

  @AutoClose private final Session session = Session.inMemory();

  private static Document task(String id) {
    List<Document> subTasks =
        IntStream.range(0, 5)
            .mapToObj(i -> new Document("index", i).append("status", "SCHEDULED"))
            .toList();
    return new Document("_id", id)
        .append("status", "ACTIVE")
        .append("token", 7L)
        .append("version", 1L)
        .append("owner", null)
        .append("queue", "own")
        .append("counters", new Document("succeeded", 0L))
        .append("subTasks", subTasks);
  }

  @Test
  void findsAndUpdatesOnlyWhatTheFilterStillMatches() {
    session.tasks().insertOne(task("a"));
    var claimable = and(eq("_id", "a"), eq("token", 7L), eq("status", "ACTIVE"), eq("owner", null));
    var claim =
        Updates.combine(
            Updates.set("owner", "worker-1"),
            Updates.inc("token", 1L),
            Updates.inc("counters.succeeded", 2L),
            Updates.unset("queue"),
            Updates.set("subTasks.3.status", "RUNNING"),
            Updates.set("subTasks.3.startedAt", Date.from(Instant.EPOCH)));
    var after = new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER);

    Document claimed = session.tasks().findOneAndUpdate(claimable, claim, after);

    Document expected = task("a").append("owner", "worker-1").append("token", 8L);
    expected.remove("queue");
    expected.get("counters", Document.class).put("succeeded", 2L);
    expected
        .getList("subTasks", Document.class)
        .get(3)
        .append("status", "RUNNING")
        .append("startedAt", Date.from(Instant.EPOCH));
    assertThat(claimed).isEqualTo(expected);
    assertThat(session.tasks().find().first()).isEqualTo(expected);
    assertThat(session.tasks().findOneAndUpdate(claimable, claim, after)).isNull();
    assertThat(session.tasks().find().first()).isEqualTo(expected);
  }

  @Test
  void returnsTheDocumentBeforeOrPartsOfItOrNothing() {
    session.tasks().insertOne(task("a"));
    var parts = new FindOneAndUpdateOptions().projection(Projections.include("token"));

    assertThat(session.tasks().findOneAndUpdate(eq("_id", "a"), Updates.inc("token", 1L), parts))
        .isEqualTo(new Document("_id", "a").append("token", 7L));
    assertThat(session.tasks().findOneAndUpdate(eq("_id", "b"), Updates.inc("token", 1L), parts))
        .isNull();
  }

  @Test
  void updatesByVersion() {
    session.tasks().insertOne(task("a"));
    var next = Updates.combine(Updates.inc("version", 1L), Updates.set("status", "PAUSED"));

    UpdateResult first = session.tasks().updateOne(versioned("a", 1L), next);
    UpdateResult late = session.tasks().updateOne(versioned("a", 1L), next);

    assertThat(first.getMatchedCount()).isEqualTo(1);
    assertThat(first.getModifiedCount()).isEqualTo(1);
    assertThat(late.getMatchedCount()).isZero();
    assertThat(session.tasks().find().first()).containsEntry("version", 2L);
  }

  private static org.bson.conversions.Bson versioned(String id, long version) {
    return and(eq("_id", id), eq("version", version));
  }

  @Test
  void comparesLongsExactly() {
    long beyondDoubles = (1L << 53) + 1;
    session.tasks().insertOne(new Document("_id", "a").append("token", beyondDoubles));
    assertThat(session.tasks().find(eq("token", beyondDoubles - 1))).isEmpty();
    assertThat(session.tasks().find(eq("token", beyondDoubles))).hasSize(1);
  }

  @Test
  void refusesASecondDocumentWithTheSameId() {
    session.tasks().insertOne(task("a"));
    assertThatThrownBy(() -> session.tasks().insertOne(task("a")))
        .isInstanceOfSatisfying(
            MongoWriteException.class,
            e -> {
              assertThat(e.getError().getCode()).isEqualTo(11000);
              assertThat(e.getError().getCategory()).isEqualTo(ErrorCategory.DUPLICATE_KEY);
            });
  }

  @Test
  void insertsTheRestWhenUnorderedAndNothingFurtherWhenOrdered() {
    session.tasks().insertOne(task("b"));
    var unordered = new InsertManyOptions().ordered(false);

    MongoBulkWriteException error =
        catchBulk(
            () -> session.tasks().insertMany(List.of(task("a"), task("b"), task("c")), unordered));
    assertThat(error.getWriteResult().getInsertedCount()).isEqualTo(2);
    assertThat(error.getWriteErrors())
        .singleElement()
        .satisfies(duplicate -> assertThat(duplicate.getIndex()).isEqualTo(1))
        .satisfies(duplicate -> assertThat(duplicate.getCode()).isEqualTo(11000));

    error = catchBulk(() -> session.tasks().insertMany(List.of(task("d"), task("a"), task("e"))));
    assertThat(error.getWriteResult().getInsertedCount()).isEqualTo(1);
    assertThat(ids()).containsExactly("a", "b", "c", "d");
  }

  private static MongoBulkWriteException catchBulk(Runnable write) {
    try {
      write.run();
    } catch (MongoBulkWriteException e) {
      return e;
    }
    throw new AssertionError("Expected a MongoBulkWriteException");
  }

  @Test
  void carriesOutAllOfAnUnorderedBulk() {
    session.tasks().insertMany(List.of(task("a"), task("b"), task("c")));
    session
        .tasks()
        .createIndex(
            new Document("claim", 1),
            new com.mongodb.client.model.IndexOptions().unique(true).sparse(true));
    session.tasks().updateOne(eq("_id", "c"), Updates.set("claim", "taken"));

    var unordered = new BulkWriteOptions().ordered(false);
    BulkWriteResult result =
        session
            .tasks()
            .bulkWrite(
                List.of(
                    new UpdateOneModel<>(eq("_id", "a"), Updates.set("status", "PAUSED")),
                    new UpdateOneModel<>(eq("_id", "missing"), Updates.set("status", "PAUSED")),
                    new UpdateOneModel<>(eq("_id", "b"), Updates.set("status", "PAUSED"))),
                unordered);
    assertThat(result.getMatchedCount()).isEqualTo(2);
    assertThat(result.getModifiedCount()).isEqualTo(2);

    MongoBulkWriteException error =
        catchBulk(
            () ->
                session
                    .tasks()
                    .bulkWrite(
                        List.of(
                            new UpdateOneModel<>(eq("_id", "a"), Updates.set("claim", "taken")),
                            new UpdateOneModel<>(eq("_id", "b"), Updates.set("claim", "free"))),
                        unordered));
    assertThat(error.getWriteErrors()).extracting(BulkWriteError::getCode).containsExactly(11000);
    assertThat(error.getWriteResult().getModifiedCount()).isEqualTo(1);
    assertThat(session.tasks().find(in("claim", "free", "taken")).sort(Sorts.ascending("_id")))
        .extracting(task -> task.get("_id"))
        .containsExactly("b", "c");
  }

  @Test
  void replacesOrInserts() {
    var upsert = new ReplaceOptions().upsert(true);
    UpdateResult inserted = session.tasks().replaceOne(eq("_id", "a"), task("a"), upsert);
    assertThat(inserted.getUpsertedId().asString().getValue()).isEqualTo("a");

    Document other = new Document("_id", "a").append("status", "FINISHED");
    UpdateResult replaced = session.tasks().replaceOne(eq("_id", "a"), other, upsert);
    assertThat(replaced.getModifiedCount()).isEqualTo(1);
    assertThat(session.tasks().find()).containsExactly(other);
  }

  @Test
  void deletesARange() {
    for (int i = 0; i < 10; i++) {
      session
          .tasks()
          .insertOne(new Document("_id", "t" + i).append("finishedAt", Session.at(i * 1_000L)));
    }
    session.tasks().createIndex(new Document("finishedAt", 1));
    long deleted =
        session
            .tasks()
            .deleteMany(
                and(gte("finishedAt", Session.at(2_000)), lt("finishedAt", Session.at(5_000))))
            .getDeletedCount();
    assertThat(deleted).isEqualTo(3);
    assertThat(ids()).containsExactly("t0", "t1", "t5", "t6", "t7", "t8", "t9");
  }

  @Test
  void readsInBatchesAndWithoutABatchSize() {
    int many = 3 * BatchedCursor.BATCH + 1;
    List<Document> documents =
        IntStream.range(0, many).mapToObj(i -> new Document("_id", i)).toList();
    session.tasks().insertMany(documents);
    assertThat(session.tasks().find().batchSize(7).limit(100)).hasSize(100);
    assertThat(session.tasks().find()).hasSize(many);
  }

  /** What is read goes in batches; what is changed or counted is always all of it. */
  @Test
  void changesAndCountsMoreThanABatch() {
    int many = 3 * BatchedCursor.BATCH + 1;
    session
        .tasks()
        .insertMany(IntStream.range(0, many).mapToObj(i -> new Document("_id", i)).toList());
    Document all = new Document("_id", new Document("$gte", 0));

    assertThat(
            session
                .tasks()
                .updateMany(all, new Document("$set", new Document("x", 1)))
                .getModifiedCount())
        .isEqualTo(many);
    assertThat(session.tasks().countDocuments(new Document("x", 1))).isEqualTo(many);
    assertThat(
            session
                .database()
                .runCommand(new Document("count", "tasks").append("query", all))
                .get("n", Number.class)
                .intValue())
        .isEqualTo(many);
    assertThat(session.tasks().distinct("_id", Integer.class)).hasSize(many);
    assertThat(session.tasks().deleteMany(all).getDeletedCount()).isEqualTo(many);
    assertThat(session.tasks().find()).isEmpty();
  }

  @Test
  void aggregatingChangesNothingThatIsStored() {
    session.tasks().insertOne(task("a"));
    Document added = new Document("counters", new Document("succeeded", 99L));
    assertThat(session.tasks().aggregate(List.of(new Document("$addFields", added))))
        .first()
        .satisfies(task -> assertThat(task.get("counters")).isEqualTo(added.get("counters")));
    assertThat(session.tasks().find()).containsExactly(task("a"));
  }

  @Test
  void droppingADatabaseSparesOneWhoseNameBeginsTheSame() {
    var similar = session.client().getDatabase("carillon2").getCollection("tasks");
    similar.insertOne(task("a"));
    session.tasks().insertOne(task("a"));
    session.database().drop();
    assertThat(session.tasks().find()).isEmpty();
    assertThat(similar.find()).hasSize(1);
    session.tasks().insertOne(task("a"));
    assertThat(session.client().listDatabaseNames()).contains("carillon", "carillon2");
  }

  @Test
  void answersHelloWithItsTimeAndPing() {
    Document hello = session.client().getDatabase("admin").runCommand(new Document("hello", 1));
    assertThat(hello).containsEntry("isWritablePrimary", true).containsEntry("ok", 1.0);
    assertThat(hello.getDate("localTime").toInstant())
        .isCloseTo(Instant.now(), within(10, java.time.temporal.ChronoUnit.SECONDS));
    assertThat(session.database().runCommand(new Document("ping", 1))).containsEntry("ok", 1.0);
  }

  private List<String> ids() {
    return session
        .tasks()
        .find()
        .sort(Sorts.ascending("_id"))
        .map(task -> task.getString("_id"))
        .into(new ArrayList<>());
  }
}
