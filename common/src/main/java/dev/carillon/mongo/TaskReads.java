package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.lte;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Updates;
import dev.carillon.store.TaskListing;
import dev.carillon.store.TaskListing.Unreadable;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.UnreadableTaskException;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads tasks. One that cannot be read is not allowed to stand in the way of the others: it is left
 * out where many are asked for.
 */
final class TaskReads {

  private static final Logger log = LoggerFactory.getLogger(TaskReads.class);

  /** How long a task that cannot be read is left alone before it is tried again. */
  static final Duration UNREADABLE_PAUSE = Duration.ofMinutes(5);

  /** Greater than every task's id. */
  private static final String BEYOND_ALL_IDS = "8";

  private final MongoCollection<Document> tasks;

  TaskReads(MongoCollection<Document> tasks) {
    this.tasks = tasks;
  }

  /**
   * @throws UnreadableTaskException when the document is not a task
   */
  Optional<Task> find(TaskId id) {
    return Optional.ofNullable(tasks.find(byId(id)).first()).map(TaskCodec::decode);
  }

  /**
   * @throws UnreadableTaskException when one of the documents is not a task
   */
  Map<TaskId, Task> findAll(Collection<TaskId> ids) {
    Map<TaskId, Task> found = new HashMap<>();
    if (!ids.isEmpty()) {
      tasks
          .find(in(TaskCodec.ID, ids.stream().map(TaskId::value).toList()))
          .batchSize(ids.size() + 1)
          .map(TaskCodec::decode)
          .forEach(task -> found.put(task.id(), task));
    }
    return found;
  }

  /** As it was when it could not be read, and only then. */
  boolean discardUnreadable(TaskId id) {
    Document found = tasks.find(byId(id)).first();
    if (found == null) {
      return false;
    }
    try {
      Task unused = TaskCodec.decode(found);
      return false;
    } catch (UnreadableTaskException unreadable) {
      Bson unchanged = eq(TaskCodec.VERSION, found.get(TaskCodec.VERSION));
      boolean isDiscarded = tasks.deleteOne(and(byId(id), unchanged)).getDeletedCount() > 0;
      if (isDiscarded) {
        log.warn("discarded, as somebody has called it off: {}", unreadable.getMessage());
      }
      return isDiscarded;
    }
  }

  /** The sub-tasks that the task has, by index, its extras included. */
  record Here(long windowStart, List<SubTask> subTasks) {}

  /**
   * Empty when there is no such task.
   *
   * @throws UnreadableTaskException when they cannot be read
   */
  Optional<Here> subTasks(TaskId id) {
    Document found =
        tasks
            .find(byId(id))
            .projection(Projections.include(TaskCodec.SUB_TASKS, ExtrasCodec.EXTRAS))
            .first();
    return Optional.ofNullable(found).map(TaskReads::here);
  }

  private static Here here(Document document) {
    try {
      return here(new StoredFields(document));
    } catch (IllegalArgumentException wrong) {
      throw new UnreadableTaskException(document.get(TaskCodec.ID), wrong.getMessage(), wrong);
    }
  }

  private static Here here(StoredFields task) {
    List<SubTask> window = TaskCodec.decodeWindow(task);
    if (window.isEmpty()) {
      throw new IllegalArgumentException(TaskCodec.SUB_TASKS + " must not be empty");
    }
    List<SubTask> subTasks = new ArrayList<>(ExtrasCodec.decode(task).subTasks());
    subTasks.addAll(window);
    subTasks.sort(Comparator.comparing(SubTask::index));
    return new Here(window.get(0).index(), subTasks);
  }

  private static Bson byId(TaskId id) {
    return eq(TaskCodec.ID, id.value());
  }

  TaskListing listing(TaskQuery query) {
    List<Task> found = new ArrayList<>();
    List<Unreadable> leftOut = new ArrayList<>();
    String after = query.olderThan().map(TaskId::value).orElse(BEYOND_ALL_IDS);
    while (true) {
      int missing = query.limit() - found.size();
      List<Document> page =
          tasks
              .find(listed(query, after))
              .sort(descending(TaskCodec.ID))
              .limit(missing)
              .batchSize(missing)
              .into(new ArrayList<>());
      for (Document document : page) {
        after = document.getString(TaskCodec.ID);
        try {
          found.add(TaskCodec.decode(document));
        } catch (UnreadableTaskException unreadable) {
          log.error("left out of a list: {}", unreadable.getMessage());
          if (leftOut.size() < query.limit()) {
            leftOut.add(new Unreadable(unreadable.id(), unreadable.problems()));
          }
        }
      }
      if (page.size() < missing || found.size() == query.limit()) {
        return new TaskListing(found, leftOut);
      }
    }
  }

  private static Bson listed(TaskQuery query, String after) {
    List<Bson> conditions = new ArrayList<>();
    query.status().ifPresent(status -> conditions.add(eq(TaskCodec.STATUS, status.name())));
    query.tag().ifPresent(tag -> conditions.add(eq(TaskCodec.TAGS, tag)));
    query.name().ifPresent(name -> conditions.add(eq(TaskCodec.NAME, name)));
    conditions.add(lt(TaskCodec.ID, after));
    return and(conditions);
  }

  List<Task> inLine(String key, int limit) {
    List<Task> waiting = new ArrayList<>();
    tasks
        .find(eq(TaskCodec.IN_LINE_KEY, key))
        .sort(ascending(TaskCodec.IN_LINE_SINCE))
        .limit(limit)
        .batchSize(limit)
        .forEach(
            document -> {
              try {
                waiting.add(TaskCodec.decode(document));
              } catch (UnreadableTaskException unreadable) {
                log.error("left out of a line: {}", unreadable.getMessage());
              }
            });
    return waiting;
  }

  List<Task> overdue(Instant now, int limit) {
    List<Task> overdue = new ArrayList<>();
    List<Document> found =
        tasks
            .find(lte(TaskCodec.WAKE_AT, Date.from(now)))
            .sort(ascending(TaskCodec.WAKE_AT))
            .limit(limit)
            .batchSize(limit)
            .into(new ArrayList<>());
    for (Document document : found) {
      try {
        overdue.add(TaskCodec.decode(document));
      } catch (UnreadableTaskException unreadable) {
        log.error(
            "{}; trying again in {}. Correct it, or have it left alone by unsetting its wakeAt",
            unreadable.getMessage(),
            UNREADABLE_PAUSE);
        putOff(document, now.plus(UNREADABLE_PAUSE));
      }
    }
    return overdue;
  }

  /** Out of the way of the others, unless somebody has changed it. */
  private void putOff(Document document, Instant until) {
    Object wakeAt = document.get(TaskCodec.WAKE_AT);
    tasks.updateOne(
        and(eq(TaskCodec.ID, document.get(TaskCodec.ID)), eq(TaskCodec.WAKE_AT, wakeAt)),
        Updates.set(TaskCodec.WAKE_AT, Date.from(until)));
  }
}
