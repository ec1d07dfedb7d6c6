package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Projections;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Finished sub-tasks that their task's window has left behind. */
final class Archive {

  private final MongoCollection<Document> subTasks;

  Archive(MongoCollection<Document> subTasks) {
    this.subTasks = subTasks;
  }

  /** Adds what leaves the window by the exchanges. What is there already stays as it is. */
  void addWhatLeaves(List<Exchange> exchanges) {
    List<Document> leaving = new ArrayList<>();
    for (Exchange exchange : exchanges) {
      TaskId task = exchange.before().id();
      exchange
          .leftBehind()
          .forEach(subTask -> leaving.add(SubTaskCodec.encodeArchived(task, subTask)));
    }
    if (leaving.isEmpty()) {
      return;
    }
    try {
      subTasks.insertMany(leaving, new InsertManyOptions().ordered(false));
    } catch (MongoBulkWriteException failure) {
      boolean allThere =
          failure.getWriteConcernError() == null
              && failure.getWriteErrors().stream()
                  .allMatch(error -> error.getCategory() == ErrorCategory.DUPLICATE_KEY);
      if (!allThere) {
        throw failure;
      }
    }
  }

  /** What fits of a task's sub-tasks with an index less than {@code end}, by index. */
  List<SubTask> find(TaskId task, SubTaskQuery query, long end) {
    if (query.fromIndex() >= end) {
      return List.of();
    }
    List<Bson> conditions = new ArrayList<>();
    conditions.add(eq(SubTaskCodec.TASK_ID, task.value()));
    Optional<SubTaskStatus> status = query.status();
    status.ifPresent(wanted -> conditions.add(eq(SubTaskCodec.STATUS, wanted.name())));
    conditions.add(gte(SubTaskCodec.INDEX, query.fromIndex()));
    conditions.add(lt(SubTaskCodec.INDEX, end));
    List<SubTask> found = new ArrayList<>();
    subTasks
        .find(and(conditions))
        .sort(ascending(SubTaskCodec.INDEX))
        .limit(query.limit())
        .batchSize(query.limit())
        .forEach(document -> found.add(SubTaskCodec.decode(new StoredFields(document))));
    return found;
  }

  int purge(Instant endedBefore, int limit) {
    List<String> ids = new ArrayList<>();
    subTasks
        .find(lt(SubTaskCodec.FINISHED_AT, Date.from(endedBefore)))
        .sort(ascending(SubTaskCodec.FINISHED_AT))
        .projection(Projections.include(TaskCodec.ID))
        .limit(limit)
        .batchSize(limit)
        .forEach(document -> ids.add(document.getString(TaskCodec.ID)));
    return ids.isEmpty() ? 0 : (int) subTasks.deleteMany(in(TaskCodec.ID, ids)).getDeletedCount();
  }
}
