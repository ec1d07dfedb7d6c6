package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.exists;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import dev.carillon.store.Permits.Permit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Who holds permits of concurrency keys: one document a key, which is its {@code _id}, with a list
 * of holders. A permit is added by one update on condition that the list is not full, so nothing is
 * read that could be out of date.
 */
final class MongoPermits {

  static final String UNTIL = "until";

  private static final String KEY = "_id";
  private static final String HOLDERS = "holders";
  private static final String ID = "id";
  private static final String HOLDER_ID = HOLDERS + "." + ID;

  /** After so many others were faster each time, the permit counts as refused. */
  private static final int TRIES = 20;

  private static final int STRIPES = 64;

  private final MongoCollection<Document> keys;

  /** Threads of one process don't get in each other's way at the server. */
  private final Lock[] locks = new Lock[STRIPES];

  MongoPermits(MongoCollection<Document> keys) {
    this.keys = keys;
    for (int i = 0; i < STRIPES; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  boolean take(Permit permit, int limit, Instant now, Instant until) {
    Lock lock = locks[Math.floorMod(permit.key().hashCode(), STRIPES)];
    lock.lock();
    try {
      for (int tries = 0; tries < TRIES; tries++) {
        if (isAdded(permit, limit, until) || isExtended(permit, until)) {
          return true;
        }
        if (!isWorthAnotherTry(permit, limit, now, until)) {
          return false;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  private boolean isAdded(Permit permit, int limit, Instant until) {
    return keys.updateOne(
                and(
                    eq(KEY, permit.key()),
                    ne(HOLDER_ID, permit.claim().id()),
                    exists(HOLDERS + "." + (limit - 1), false)),
                Updates.combine(
                    Updates.push(HOLDERS, encode(permit, until)),
                    Updates.max(UNTIL, Date.from(until))))
            .getMatchedCount()
        == 1;
  }

  private boolean isExtended(Permit permit, Instant until) {
    return keys.updateOne(held(permit), extension(until)).getMatchedCount() == 1;
  }

  private static Bson held(Permit permit) {
    return and(eq(KEY, permit.key()), eq(HOLDER_ID, permit.claim().id()));
  }

  private static Bson extension(Instant until) {
    return Updates.combine(
        Updates.set(HOLDERS + ".$." + UNTIL, Date.from(until)),
        Updates.max(UNTIL, Date.from(until)));
  }

  /** There was no document, or there is room now that permits which have ended are taken away. */
  private boolean isWorthAnotherTry(Permit permit, int limit, Instant now, Instant until) {
    Document found = keys.find(eq(KEY, permit.key())).first();
    if (found == null) {
      boolean unused =
          MongoTaskStore.isInserted(
              keys,
              new Document(KEY, permit.key())
                  .append(HOLDERS, List.of())
                  .append(UNTIL, Date.from(until)));
      return true;
    }
    if (heldIn(found, now) >= limit) {
      return false;
    }
    keys.updateOne(
        eq(KEY, permit.key()),
        Updates.pullByFilter(
            new Document(HOLDERS, new Document(UNTIL, new Document("$lte", Date.from(now))))));
    return true;
  }

  private static Document encode(Permit permit, Instant until) {
    return new Document(ID, permit.claim().id())
        .append("task", permit.claim().task().value())
        .append("token", permit.claim().token())
        .append("worker", permit.claim().worker())
        .append(UNTIL, Date.from(until));
  }

  List<Boolean> extend(Collection<Permit> permits, Instant until) {
    List<UpdateOneModel<Document>> updates = new ArrayList<>();
    for (Permit permit : permits) {
      updates.add(new UpdateOneModel<>(held(permit), extension(until)));
    }
    keys.bulkWrite(updates, new BulkWriteOptions().ordered(false));
    // one that has been taken away does not come back: what is there has been extended
    Map<String, Document> found = new HashMap<>();
    List<String> names = permits.stream().map(Permit::key).distinct().toList();
    keys.find(new Document(KEY, new Document("$in", names)))
        .limit(names.size())
        .batchSize(names.size())
        .forEach(document -> found.put(document.getString(KEY), document));
    return permits.stream()
        .map(permit -> isIn(found.getOrDefault(permit.key(), new Document()), permit))
        .toList();
  }

  private static boolean isIn(Document key, Permit permit) {
    return holders(key).stream().anyMatch(h -> permit.claim().id().equals(h.getString(ID)));
  }

  void giveBack(Permit permit) {
    keys.updateOne(
        eq(KEY, permit.key()),
        Updates.pullByFilter(new Document(HOLDERS, new Document(ID, permit.claim().id()))));
  }

  int held(String key, Instant now) {
    Document found = keys.find(eq(KEY, key)).first();
    return found == null ? 0 : heldIn(found, now);
  }

  private static int heldIn(Document key, Instant now) {
    return (int)
        holders(key).stream()
            .filter(holder -> holder.getDate(UNTIL).toInstant().isAfter(now))
            .count();
  }

  private static List<Document> holders(Document key) {
    return key.getList(HOLDERS, Document.class, List.of());
  }

  /** Whoever takes a permit meanwhile moves the end, so that the key stays. */
  int purge(Instant endedBefore, int limit) {
    List<Document> old =
        keys.find(lt(UNTIL, Date.from(endedBefore)))
            .sort(ascending(UNTIL))
            .limit(limit)
            .batchSize(limit)
            .into(new ArrayList<>());
    int purged = 0;
    for (Document document : old) {
      purged +=
          (int)
              keys.deleteOne(and(eq(KEY, document.get(KEY)), eq(UNTIL, document.get(UNTIL))))
                  .getDeletedCount();
    }
    return purged;
  }
}
