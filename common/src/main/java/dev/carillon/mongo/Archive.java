package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.nin;
import static com.mongodb.client.model.Filters.not;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Finished sub-tasks that their tasks have left behind. */
final class Archive {

  private final MongoCollection<Document> subTasks;

  Archive(MongoCollection<Document> subTasks) {
    this.subTasks = subTasks;
  }

  /**
   * Adds what leaves its task by the exchanges. What is there already is replaced if it is from an
   * earlier version of the task: a sub-task that has ended may have been run once more since.
   */
  void addWhatLeaves(List<Exchange> exchanges) {
    List<WriteModel<Document>> leaving = new ArrayList<>();
    for (Exchange exchange : exchanges) {
      Task task = exchange.before();
      exchange.leftBehind().forEach(subTask -> leaving.add(archiving(task, subTask)));
    }
    if (leaving.isEmpty()) {
      return;
    }
    try {
      subTasks.bulkWrite(leaving, new BulkWriteOptions().ordered(false));
    } catch (MongoBulkWriteException failure) {
      // one that is not replaced, being as late or later, is inserted a second time, and refused
      boolean allThere =
          failure.getWriteConcernError() == null
              && failure.getWriteErrors().stream()
                  .allMatch(error -> error.getCategory() == ErrorCategory.DUPLICATE_KEY);
      if (!allThere) {
        throw failure;
      }
    }
  }

  private static WriteModel<Document> archiving(Task task, SubTask subTask) {
    Document document = SubTaskCodec.encodeArchived(task, subTask);
    Bson earlier =
        and(
            eq(TaskCodec.ID, document.get(TaskCodec.ID)),
            eq(SubTaskCodec.TASK_ID, task.id().value()),
            not(gte(SubTaskCodec.TASK_VERSION, task.version())));
    return new ReplaceOneModel<>(earlier, document, new ReplaceOptions().upsert(true));
  }

  /** What fits of a task's sub-tasks, but for those with the given indices, by index. */
  List<SubTask> find(TaskId task, SubTaskQuery query, long end, Collection<Long> except) {
    if (query.fromIndex() >= end) {
      return List.of();
    }
    List<Bson> conditions = new ArrayList<>();
    conditions.add(eq(SubTaskCodec.TASK_ID, task.value()));
    Optional<SubTaskStatus> status = query.status();
    status.ifPresent(wanted -> conditions.add(eq(SubTaskCodec.STATUS, wanted.name())));
    conditions.add(gte(SubTaskCodec.INDEX, query.fromIndex()));
    conditions.add(lt(SubTaskCodec.INDEX, end));
    if (!except.isEmpty()) {
      conditions.add(nin(SubTaskCodec.INDEX, except));
    }
    List<SubTask> found = new ArrayList<>();
    subTasks
        .find(and(conditions))
        .sort(ascending(SubTaskCodec.INDEX))
        .limit(query.limit())
        .batchSize(query.limit())
        .forEach(document -> found.add(SubTaskCodec.decode(new StoredFields(document))));
    return found;
  }

  /** One that a request with this key has made, if it was taken after the given instant. */
  Optional<SubTask> findRequested(TaskId task, String key, Instant takenAfter) {
    Document found =
        subTasks
            .find(
                and(
                    eq(SubTaskCodec.TASK_ID, task.value()),
                    eq(RequestCodec.KEY_PATH, key),
                    gt(RequestCodec.TAKEN_AT_PATH, Date.from(takenAfter))))
            .limit(1)
            .batchSize(1)
            .first();
    return Optional.ofNullable(found)
        .map(document -> SubTaskCodec.decode(new StoredFields(document)));
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
