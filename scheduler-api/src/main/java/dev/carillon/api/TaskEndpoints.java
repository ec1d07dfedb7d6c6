package dev.carillon.api;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.flow.TaskLifecycle.KeyedAnswer;
import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What can be done with tasks over HTTP. Everything that is wrong with a request is told at once;
 * then nothing is stored. Thread-safe.
 */
public final class TaskEndpoints {

  private final TaskLifecycle lifecycle;
  private final TaskStore store;
  private final InstantSource clock;

  public TaskEndpoints(TaskLifecycle lifecycle, TaskStore store, InstantSource clock) {
    this.lifecycle = lifecycle;
    this.store = store;
    this.clock = clock;
  }

  Answer create(byte[] body, IdempotencyKey key) {
    Map<?, ?> content = StrictJson.object(body);
    if (!key.isGiven()) {
      return created(
          lifecycle
              .create(definition(content, clock.instant(), key))
              .orElseThrow(TaskEndpoints::over));
    }
    KeyedAnswer answer =
        lifecycle.create(
            key.value(), IdempotencyKey.fingerprint(body), at -> definition(content, at, key));
    if (answer instanceof KeyedAnswer.Created created) {
      return created(created.task());
    }
    throw answer instanceof KeyedAnswer.OtherRequest
        ? new RefusedException(
            Problems.answer(
                409,
                "this Idempotency-Key has been used with another body; it can be used with that"
                    + " one only, until 24 hours after its first use"))
        : over();
  }

  private static TaskDefinition definition(Map<?, ?> content, Instant now, IdempotencyKey key) {
    Form form = Form.of(content);
    Optional<TaskDefinition> definition = DefinitionReader.readNew(form, now);
    List<Problem> problems = new ArrayList<>(form.problems());
    key.problem().ifPresent(problems::add);
    if (!problems.isEmpty()) {
      throw new RefusedException(Problems.invalid(problems));
    }
    return definition.orElseThrow();
  }

  /** The last instant of a schedule has passed since it was read. */
  private static RefusedException over() {
    return new RefusedException(
        Problems.invalid(List.of(new Problem("endTime", "leaves no instant in the future"))));
  }

  private static Answer created(Task task) {
    return Answer.json(201, TaskView.of(task))
        .with("Location", "/api/tasks/" + task.id())
        .with("ETag", TaskView.entityTag(task));
  }

  Answer list(QueryParameters parameters) {
    int limit = parameters.limit();
    TaskQuery query =
        new TaskQuery(
            parameters.constant("status", TaskStatus.class),
            parameters.text("tag"),
            parameters.text("name"),
            parameters.cursor(Cursor::readTask),
            limit + 1);
    parameters.check();
    return page(store.list(query), limit, TaskView::of, last -> Cursor.after(last.id()));
  }

  Answer find(String id) {
    Task task = existing(id);
    return Answer.json(200, TaskView.of(task)).with("ETag", TaskView.entityTag(task));
  }

  Answer subTasks(String id, QueryParameters parameters) {
    int limit = parameters.limit();
    SubTaskQuery query =
        new SubTaskQuery(
            parameters.constant("status", SubTaskStatus.class),
            parameters.cursor(Cursor::readIndex).orElse(0L),
            limit + 1);
    parameters.check();
    Task task = existing(id);
    List<SubTask> found = store.subTasks(task.id(), query);
    return page(found, limit, TaskView::of, last -> Cursor.from(last.index() + 1));
  }

  Answer cancel(String id) {
    TaskId taskId = TaskId.parse(id).orElseThrow(() -> unknown(id));
    return switch (lifecycle.cancel(taskId)) {
      case CANCELED -> Answer.empty(204);
      case UNKNOWN -> throw unknown(id);
      case FINISHED ->
          throw new RefusedException(
              Problems.answer(409, "task " + id + " is FINISHED; there is nothing left to cancel"));
    };
  }

  private Task existing(String id) {
    return TaskId.parse(id).flatMap(store::find).orElseThrow(() -> unknown(id));
  }

  private static RefusedException unknown(String id) {
    return new RefusedException(Problems.answer(404, "there is no task " + id));
  }

  /**
   * @param found one more than fits the page if there is another page
   */
  private static <T> Answer page(
      List<T> found, int limit, Function<T, Object> view, Function<T, String> cursorAfter) {
    List<T> items = found.subList(0, Math.min(limit, found.size()));
    boolean isLast = found.size() <= limit;
    Map<String, Object> page = new LinkedHashMap<>();
    page.put("items", items.stream().map(view).toList());
    page.put("nextCursor", isLast ? null : cursorAfter.apply(items.get(limit - 1)));
    return Answer.json(200, page);
  }
}
