package dev.carillon.embedded;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.exists;
import static com.mongodb.client.model.Filters.lte;
import static com.mongodb.client.model.Filters.or;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoServerException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexDeclarationTest {

  private static final IndexOptions UNIQUE_SPARSE = new IndexOptions().unique(true).sparse(true);

  @TempDir Path folder;

  private static void declareAll(MongoCollection<Document> tasks) {
    tasks.createIndex(Indexes.ascending("claim"), UNIQUE_SPARSE);
    tasks.createIndex(
        Indexes.ascending("status", "wakeAt"),
        new IndexOptions().partialFilterExpression(or(eq("status", "ACTIVE"), exists("wakeAt"))));
    tasks.createIndex(
        Indexes.ascending("finishedAt"), new IndexOptions().expireAfter(30L, TimeUnit.DAYS));
    tasks.createIndex(Indexes.descending("createdAt", "_id"));
  }

  @Test
  void aSparseUniqueIndexConcernsOnlyDocumentsThatHaveTheField() {
    try (Session session = Session.inMemory()) {
      MongoCollection<Document> tasks = session.tasks();
      declareAll(tasks);
      tasks.insertMany(
          List.of(new Document("_id", 1), new Document("_id", 2).append("claim", "x")));
      tasks.insertOne(new Document("_id", 3));

      assertDuplicate(() -> tasks.insertOne(new Document("_id", 4).append("claim", "x")));
      assertDuplicate(() -> tasks.updateOne(eq("_id", 3), Updates.set("claim", "x")));
      tasks.updateOne(eq("_id", 2), Updates.unset("claim"));
      tasks.updateOne(eq("_id", 3), Updates.set("claim", "x"));

      assertThat(tasks.find(eq("claim", "x"))).extracting(task -> task.get("_id")).containsOnly(3);
      assertThat(tasks.find(eq("claim", null))).hasSize(2);
    }
  }

  @Test
  void declarationsAndIndexesSurviveARestart() throws IOException {
    List<Document> declared = new ArrayList<>();
    try (Session session = Session.on(folder)) {
      declareAll(session.tasks());
      session
          .tasks()
          .insertOne(
              new Document("_id", 1)
                  .append("claim", "x")
                  .append("status", "ACTIVE")
                  .append("wakeAt", 5));
      for (int i = 2; i <= 500; i++) {
        session.tasks().insertOne(new Document("_id", i).append("status", "PAUSED"));
      }
      session.tasks().listIndexes().into(declared);
    }
    try (Session session = Session.on(folder)) {
      MongoCollection<Document> tasks = session.tasks();
      assertThat(tasks.listIndexes()).hasSize(5).containsExactlyElementsOf(declared);
      assertDuplicate(() -> tasks.insertOne(new Document("_id", 4_000).append("claim", "x")));

      long before = session.documentsExamined();
      assertThat(tasks.find(and(eq("status", "ACTIVE"), lte("wakeAt", 9)))).hasSize(1);
      assertThat(session.documentsExamined() - before).isLessThan(10);

      declareAll(tasks);
      assertThat(tasks.listIndexes()).containsExactlyElementsOf(declared);
    }
    try (Session session = Session.on(folder)) {
      assertThat(session.tasks().listIndexes()).containsExactlyElementsOf(declared);
    }
  }

  @Test
  void refusesAChangedDeclaration() {
    try (Session session = Session.inMemory()) {
      MongoCollection<Document> tasks = session.tasks();
      declareAll(tasks);
      assertCode(
          85,
          () ->
              tasks.createIndex(
                  Indexes.ascending("finishedAt"),
                  new IndexOptions().expireAfter(7L, TimeUnit.DAYS)));
      assertCode(
          85,
          () -> tasks.createIndex(Indexes.ascending("other"), new IndexOptions().name("claim_1")));
      assertThat(tasks.listIndexes()).hasSize(5);
    }
  }

  @Test
  void dropsAnIndexByItsKeysOnly() {
    try (Session session = Session.inMemory()) {
      MongoCollection<Document> tasks = session.tasks();
      declareAll(tasks);
      declareAll(session.database().getCollection("others"));
      assertCode(115, () -> tasks.dropIndex("claim_1"));
      assertCode(115, tasks::dropIndexes);
      tasks.dropIndex(Indexes.ascending("claim"));
      assertThat(tasks.listIndexes()).hasSize(4);
      assertThat(session.database().getCollection("others").listIndexes()).hasSize(5);
    }
  }

  @Test
  void refusesAPartialUniqueIndexWhichItCannotKeep() {
    try (Session session = Session.inMemory()) {
      assertCode(
          67,
          () ->
              session
                  .tasks()
                  .createIndex(
                      Indexes.ascending("claim"),
                      new IndexOptions().unique(true).partialFilterExpression(exists("claim"))));
      assertThat(session.tasks().listIndexes()).isEmpty();
    }
  }

  @Test
  void refusesAUniqueIndexThatTheDataContradicts() {
    try (Session session = Session.inMemory()) {
      MongoCollection<Document> tasks = session.tasks();
      tasks.insertMany(
          List.of(
              new Document("_id", 1).append("claim", "x"),
              new Document("_id", 2).append("claim", "x")));
      assertCode(11000, () -> tasks.createIndex(Indexes.ascending("claim"), UNIQUE_SPARSE));
      tasks.deleteOne(eq("_id", 1));
      tasks.createIndex(Indexes.ascending("claim"), UNIQUE_SPARSE);
      assertDuplicate(() -> tasks.insertOne(new Document("_id", 1).append("claim", "x")));
    }
  }

  @Test
  void anIndexOnExistingDocumentsIsUsed() {
    try (Session session = Session.inMemory()) {
      MongoCollection<Document> tasks = session.tasks();
      for (int i = 0; i < 200; i++) {
        tasks.insertOne(new Document("_id", i).append("name", "n" + i));
      }
      tasks.createIndex(Indexes.ascending("name"));
      long before = session.documentsExamined();
      assertThat(tasks.find(eq("name", "n7"))).hasSize(1);
      assertThat(session.documentsExamined() - before).isEqualTo(1);
    }
  }

  @Test
  void refusesAnArrayInAUniqueIndexBeforeAnythingIsStored() {
    try (Session session = Session.inMemory()) {
      session.tasks().createIndex(Indexes.ascending("claim"), UNIQUE_SPARSE);
      for (List<String> array : List.of(List.<String>of(), List.of("x", "y"))) {
        assertThatThrownBy(
                () -> session.tasks().insertOne(new Document("_id", 1).append("claim", array)))
            .isInstanceOf(MongoWriteException.class)
            .hasMessageContaining("cannot hold an array");
      }
      assertThat(session.tasks().find()).isEmpty();
    }
  }

  private static void assertDuplicate(Runnable write) {
    assertThatThrownBy(write::run)
        .isInstanceOfSatisfying(
            MongoWriteException.class, e -> assertThat(e.getCode()).isEqualTo(11000));
  }

  private static void assertCode(int code, Runnable command) {
    assertThatThrownBy(command::run)
        .isInstanceOfSatisfying(
            MongoServerException.class, e -> assertThat(e.getCode()).isEqualTo(code));
  }
}
