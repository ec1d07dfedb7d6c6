package dev.carillon.mongo;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.BulkWriteUpsert;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import dev.carillon.store.TaskStore.Exchange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bson.Document;

/**
 * Carries out exchanges: a conditional update for each, all of them in one bulk write.
 *
 * <p>The reply to a bulk write tells how many of its updates matched, but not which. It does tell
 * which failed. So in a bulk of several each update is an upsert: one that finds its task changed
 * tries to insert a second document with the same {@code _id}, which is refused, by the position of
 * the update in the bulk.
 */
final class Exchanges {

  private final MongoCollection<Document> tasks;
  private final Archive archive;

  Exchanges(MongoCollection<Document> tasks, Archive archive) {
    this.tasks = tasks;
    this.archive = archive;
  }

  List<Written> exchange(List<Exchange> exchanges) {
    // first, so that a sub-task is never in neither place; in both, the window counts
    archive.addWhatLeaves(exchanges);
    return exchanges.size() == 1
        ? List.of(Written.of(exchangeOne(exchanges.get(0))))
        : exchangeSeveral(exchanges);
  }

  private boolean exchangeOne(Exchange exchange) {
    return tasks
            .updateOne(TaskChanges.filter(exchange), TaskChanges.update(exchange))
            .getMatchedCount()
        == 1;
  }

  private List<Written> exchangeSeveral(List<Exchange> exchanges) {
    List<UpdateOneModel<Document>> updates = new ArrayList<>();
    UpdateOptions upsert = new UpdateOptions().upsert(true);
    for (Exchange exchange : exchanges) {
      updates.add(
          new UpdateOneModel<>(TaskChanges.filter(exchange), TaskChanges.update(exchange), upsert));
    }
    List<Written> exchanged =
        new ArrayList<>(Collections.nCopies(exchanges.size(), Written.of(true)));
    BulkWriteResult result;
    try {
      result = tasks.bulkWrite(updates, new BulkWriteOptions().ordered(false));
    } catch (MongoBulkWriteException failure) {
      if (failure.getWriteConcernError() != null) {
        throw failure;
      }
      for (BulkWriteError error : failure.getWriteErrors()) {
        exchanged.set(error.getIndex(), Written.refused(error, failure));
      }
      result = failure.getWriteResult();
    }
    for (BulkWriteUpsert inserted : result.getUpserts()) {
      // somebody has deleted the task: it stays deleted
      exchanged.set(inserted.getIndex(), Written.of(false));
      tasks.deleteOne(
          new Document(TaskCodec.ID, inserted.getId())
              .append(TaskCodec.CREATED_AT, new Document("$exists", false)));
    }
    return exchanged;
  }
}
