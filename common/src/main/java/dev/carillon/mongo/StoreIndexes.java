package dev.carillon.mongo;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import dev.carillon.store.KeyedCreation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** The indexes that the store's queries need. Making them is idempotent. */
final class StoreIndexes {

  /** Making an index over a large collection takes its time. */
  private static final Duration LONGEST_BUILD = Duration.ofHours(1);

  private static final String EXPIRY = "expireAfterSeconds";
  private static final int COMMAND_NOT_FOUND = 59;
  private static final int INDEX_NOT_FOUND = 27;

  private final MongoDatabase database;
  private final MongoCollection<Document> tasks;
  private final MongoCollection<Document> subTasks;
  private final MongoCollection<Document> keys;
  private final MongoCollection<Document> permits;
  private final long retentionSeconds;

  StoreIndexes(
      MongoDatabase database,
      MongoCollection<Document> tasks,
      MongoCollection<Document> subTasks,
      MongoCollection<Document> keys,
      MongoCollection<Document> permits,
      Duration archiveRetention) {
    this.database = database.withTimeout(LONGEST_BUILD.toMillis(), TimeUnit.MILLISECONDS);
    this.tasks = tasks.withTimeout(LONGEST_BUILD.toMillis(), TimeUnit.MILLISECONDS);
    this.subTasks = subTasks.withTimeout(LONGEST_BUILD.toMillis(), TimeUnit.MILLISECONDS);
    this.keys = keys.withTimeout(LONGEST_BUILD.toMillis(), TimeUnit.MILLISECONDS);
    this.permits = permits.withTimeout(LONGEST_BUILD.toMillis(), TimeUnit.MILLISECONDS);
    this.retentionSeconds = archiveRetention.toSeconds();
  }

  void ensure() {
    tasks.createIndex(
        Indexes.ascending(TaskCodec.WAKE_AT),
        new IndexOptions()
            .partialFilterExpression(
                new Document(TaskCodec.WAKE_AT, new Document("$exists", true))));
    tasks.createIndex(
        Indexes.ascending(TaskCodec.IN_LINE_KEY, TaskCodec.IN_LINE_SINCE),
        new IndexOptions()
            .partialFilterExpression(
                new Document(TaskCodec.IN_LINE_KEY, new Document("$exists", true))));
    permits.createIndex(Indexes.ascending(MongoPermits.UNTIL));
    for (String listedBy : List.of(TaskCodec.STATUS, TaskCodec.TAGS, TaskCodec.NAME)) {
      tasks.createIndex(Indexes.ascending(listedBy, TaskCodec.ID));
    }
    subTasks.createIndex(Indexes.ascending(SubTaskCodec.TASK_ID, SubTaskCodec.INDEX));
    subTasks.createIndex(
        Indexes.ascending(SubTaskCodec.TASK_ID, SubTaskCodec.STATUS, SubTaskCodec.INDEX));
    subTasks.createIndex(
        Indexes.ascending(SubTaskCodec.TASK_ID, RequestCodec.KEY_PATH),
        new IndexOptions()
            .partialFilterExpression(
                new Document(RequestCodec.KEY_PATH, new Document("$exists", true))));
    ensureExpiry();
    keys.createIndex(
        Indexes.ascending(IdempotencyKeys.TAKEN_AT),
        new IndexOptions().expireAfter(KeyedCreation.LIFE.toSeconds(), TimeUnit.SECONDS));
  }

  private void ensureExpiry() {
    for (Document index : subTasks.listIndexes().into(new ArrayList<>())) {
      Document keys = index.get("key", Document.class);
      boolean byEnd = keys.keySet().equals(Set.of(SubTaskCodec.FINISHED_AT));
      if (byEnd && !expiresInTime(index)) {
        changeExpiry(index.getString("name"));
      }
    }
    subTasks.createIndex(
        Indexes.ascending(SubTaskCodec.FINISHED_AT),
        new IndexOptions().expireAfter(retentionSeconds, TimeUnit.SECONDS));
  }

  private boolean expiresInTime(Document index) {
    return index.get(EXPIRY) instanceof Number seconds && seconds.longValue() == retentionSeconds;
  }

  /** Changes the index where it is; on a server that cannot do so, drops it to be made anew. */
  private void changeExpiry(String index) {
    try {
      database.runCommand(
          new Document("collMod", subTasks.getNamespace().getCollectionName())
              .append("index", new Document("name", index).append(EXPIRY, retentionSeconds)));
    } catch (MongoCommandException refused) {
      if (refused.getErrorCode() != COMMAND_NOT_FOUND) {
        throw refused;
      }
      dropExpiry();
    }
  }

  private void dropExpiry() {
    try {
      subTasks.dropIndex(Indexes.ascending(SubTaskCodec.FINISHED_AT));
    } catch (MongoCommandException refused) {
      if (refused.getErrorCode() != INDEX_NOT_FOUND) {
        throw refused;
      }
      // another process that starts now was faster
    }
  }
}
