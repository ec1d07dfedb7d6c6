package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.client.MongoCollection;
import dev.carillon.store.TaskKeys;
import dev.carillon.task.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Collection {@code task_keys}: one document a key, which is its {@code _id}. */
final class MongoTaskKeys implements TaskKeys {

  private static final String KEY = "_id";
  private static final String TASK_ID = "taskId";
  private static final String TAKEN_AT = "takenAt";

  private final MongoCollection<Document> keys;

  MongoTaskKeys(MongoCollection<Document> keys) {
    this.keys = keys;
  }

  @Override
  public Optional<Holder> find(String key) {
    return Optional.ofNullable(keys.find(eq(KEY, key)).first()).map(MongoTaskKeys::decode);
  }

  /** The answer is what the store has: an insert whose reply got lost is found again. */
  @Override
  public List<Holder> takeFree(Collection<Holder> wanted) {
    if (wanted.isEmpty()) {
      return List.of();
    }
    Map<String, Holder> held = new HashMap<>();
    Set<String> taken = insert(List.copyOf(wanted), held);
    while (!taken.isEmpty()) {
      keys.find(in(KEY, taken))
          .batchSize(taken.size())
          .forEach(
              document -> {
                Holder holder = decode(document);
                held.put(holder.key(), holder);
              });
      taken.removeAll(held.keySet());
      if (!taken.isEmpty()) { // freed just now
        taken =
            insert(
                wanted.stream().filter(holder -> !held.containsKey(holder.key())).toList(), held);
      }
    }
    return wanted.stream().map(holder -> held.get(holder.key())).toList();
  }

  /** Inserts those that are free into {@code held}, and answers the others. */
  private Set<String> insert(List<Holder> wanted, Map<String, Holder> held) {
    List<Boolean> inserted =
        KeyInserts.insertAll(keys, wanted.stream().map(MongoTaskKeys::encode).toList());
    Set<String> taken = new HashSet<>();
    for (int i = 0; i < wanted.size(); i++) {
      if (inserted.get(i)) {
        held.put(wanted.get(i).key(), wanted.get(i));
      } else {
        taken.add(wanted.get(i).key());
      }
    }
    return taken;
  }

  @Override
  public boolean pass(Holder seen, Holder wanted) {
    if (keys.replaceOne(as(seen), encode(wanted)).getMatchedCount() == 1) {
      return true;
    }
    return find(wanted.key()).filter(now -> now.task().equals(wanted.task())).isPresent();
  }

  @Override
  public void release(Holder seen) {
    keys.deleteOne(as(seen));
  }

  private static Bson as(Holder seen) {
    return and(eq(KEY, seen.key()), eq(TASK_ID, seen.task().value()));
  }

  @Override
  public List<Holder> scan(String after, int limit) {
    return keys.find(gt(KEY, after))
        .sort(ascending(KEY))
        .limit(limit)
        .batchSize(limit)
        .map(MongoTaskKeys::decode)
        .into(new ArrayList<>());
  }

  private static Document encode(Holder holder) {
    return new Document(KEY, holder.key())
        .append(TASK_ID, holder.task().value())
        .append(TAKEN_AT, Date.from(holder.takenAt()));
  }

  private static Holder decode(Document document) {
    StoredFields fields = new StoredFields(document);
    return new Holder(fields.text(KEY), new TaskId(fields.text(TASK_ID)), fields.time(TAKEN_AT));
  }
}
