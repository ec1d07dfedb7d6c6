package dev.carillon.mongo;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import dev.carillon.task.Task;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bson.Document;

/** Adds tasks, several at a time. */
final class Inserts {

  private final MongoCollection<Document> tasks;

  Inserts(MongoCollection<Document> tasks) {
    this.tasks = tasks;
  }

  /** Even for those that were there already, what is there has reached a majority afterwards. */
  List<Written> insert(List<Task> added) {
    if (added.size() == 1) {
      return List.of(Written.of(MongoTaskStore.isInserted(tasks, TaskCodec.encode(added.get(0)))));
    }
    List<Written> inserted = new ArrayList<>(Collections.nCopies(added.size(), Written.of(true)));
    try {
      tasks.insertMany(
          added.stream().map(TaskCodec::encode).toList(), new InsertManyOptions().ordered(false));
    } catch (MongoBulkWriteException failure) {
      if (failure.getWriteConcernError() != null) {
        throw failure;
      }
      for (BulkWriteError error : failure.getWriteErrors()) {
        inserted.set(error.getIndex(), Written.refused(error, failure));
      }
    }
    return inserted;
  }
}
