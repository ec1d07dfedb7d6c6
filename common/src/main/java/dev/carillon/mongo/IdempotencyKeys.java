package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Projections;
import dev.carillon.store.KeyedCreation;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.bson.Document;

/** Which creation each idempotency key stands for: one document a key, which is its {@code _id}. */
final class IdempotencyKeys {

  static final String TAKEN_AT = "takenAt";
  private static final String KEY = "_id";
  private static final String FINGERPRINT = "fingerprint";
  private static final String TASK_ID = "taskId";

  private final MongoCollection<Document> keys;

  IdempotencyKeys(MongoCollection<Document> keys) {
    this.keys = keys;
  }

  /** What the key stands for or has stood for. */
  Optional<KeyedCreation> find(String key) {
    return Optional.ofNullable(keys.find(eq(KEY, key)).first())
        .map(document -> decode(new StoredFields(document)));
  }

  /**
   * The answer is always what the store has, and never who seems to have written it: a write whose
   * reply got lost is found again.
   */
  KeyedCreation take(KeyedCreation wanted) {
    while (true) {
      if (MongoTaskStore.isInserted(keys, encode(wanted))) {
        return wanted;
      }
      Optional<KeyedCreation> found = find(wanted.key());
      if (found.isPresent() && !found.get().isOver(wanted.takenAt())) {
        return found.get();
      }
      if (found.isPresent() && isReplaced(found.get(), wanted)) {
        return wanted;
      } // else it has been forgotten or taken by somebody else just now
    }
  }

  /** {@link #take} for many in one step, but for those that are there already. */
  List<KeyedCreation> takeAll(List<KeyedCreation> wanted) {
    List<Boolean> inserted =
        KeyInserts.insertAll(keys, wanted.stream().map(IdempotencyKeys::encode).toList());
    List<KeyedCreation> taken = new ArrayList<>();
    for (int i = 0; i < wanted.size(); i++) {
      taken.add(inserted.get(i) ? wanted.get(i) : take(wanted.get(i)));
    }
    return taken;
  }

  private boolean isReplaced(KeyedCreation old, KeyedCreation wanted) {
    return keys.replaceOne(and(eq(KEY, old.key()), eq(TASK_ID, old.task().value())), encode(wanted))
            .getMatchedCount()
        == 1;
  }

  int purge(Instant takenBefore, int limit) {
    List<String> old = new ArrayList<>();
    keys.find(lt(TAKEN_AT, Date.from(takenBefore)))
        .sort(ascending(TAKEN_AT))
        .projection(Projections.include(KEY))
        .limit(limit)
        .batchSize(limit)
        .forEach(document -> old.add(document.getString(KEY)));
    if (old.isEmpty()) {
      return 0;
    }
    // asked again: one may have been taken anew meanwhile
    return (int)
        keys.deleteMany(and(in(KEY, old), lt(TAKEN_AT, Date.from(takenBefore)))).getDeletedCount();
  }

  private static Document encode(KeyedCreation creation) {
    return new Document(KEY, creation.key())
        .append(FINGERPRINT, creation.fingerprint())
        .append(TASK_ID, creation.task().value())
        .append(TAKEN_AT, Date.from(creation.takenAt()));
  }

  private static KeyedCreation decode(StoredFields fields) {
    return new KeyedCreation(
        fields.text(KEY),
        fields.text(FINGERPRINT),
        new TaskId(fields.text(TASK_ID)),
        fields.time(TAKEN_AT));
  }
}
