package dev.carillon.api;

import dev.carillon.definition.DefinitionEdit;
import dev.carillon.definition.DefinitionReader;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.flow.TaskLifecycle.EditAnswer;
import dev.carillon.flow.TaskLifecycle.KeyedAnswer;
import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.schedule.Preview;
import dev.carillon.store.TaskListing;
import dev.carillon.store.TaskListing.Unreadable;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskPreview;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What can be done with tasks over HTTP. Everything that is wrong with a request is told at once;
 * then nothing is stored. Thread-safe.
 */
public final class TaskEndpoints {

  private final TaskLifecycle lifecycle;
  private final KeyedEndpoints keyed;
  private final TaskStore store;
  private final InstantSource clock;

  public TaskEndpoints(
      TaskLifecycle lifecycle, KeyedEndpoints keyed, TaskStore store, InstantSource clock) {
    this.lifecycle = lifecycle;
    this.keyed = keyed;
    this.store = store;
    this.clock = clock;
  }

  Answer create(byte[] body, IdempotencyKey key) {
    Map<?, ?> content = StrictJson.object(body);
    if (!key.isGiven()) {
      TaskDefinition definition = definition(content, clock.instant(), key);
      return definition.key().isPresent()
          ? keyed.create(definition)
          : created(lifecycle.create(definition).orElseThrow(TaskEndpoints::over));
    }
    KeyedAnswer answer =
        lifecycle.create(
            key.value(), IdempotencyKey.fingerprint(body), at -> definition(content, at, key));
    if (answer instanceof KeyedAnswer.Created created) {
      return created(created.task());
    }
    throw answer instanceof KeyedAnswer.OtherRequest
        ? new RefusedException(IdempotencyKey.usedWithAnotherBody())
        : over();
  }

  private static TaskDefinition definition(Map<?, ?> content, Instant now, IdempotencyKey key) {
    Form form = Form.of(content);
    Optional<TaskDefinition> definition = DefinitionReader.readNew(form, now);
    List<Problem> problems = new ArrayList<>(form.problems());
    key.problem().ifPresent(problems::add);
    if (key.isGiven() && content.containsKey("key")) {
      problems.add(
          new Problem(
              "key",
              "must not be given beside an Idempotency-Key; PUT /api/tasks/by-key/{key} can be"
                  + " repeated as it is"));
    }
    if (!problems.isEmpty()) {
      throw new RefusedException(Problems.invalid(problems));
    }
    return definition.orElseThrow();
  }

  /** The last instant of a schedule has passed since it was read. */
  static RefusedException over() {
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
    TaskListing found = store.listing(query);
    Map<String, Object> page =
        Page.view(found.tasks(), limit, TaskView::of, last -> Cursor.after(last.id()));
    page.put("unreadable", unreadable(found, limit));
    return Answer.json(200, page);
  }

  /** Those that come after the last task of a page are on the next. */
  private static List<Map<String, String>> unreadable(TaskListing found, int limit) {
    String end = found.tasks().size() > limit ? found.tasks().get(limit - 1).id().value() : "";
    return found.unreadable().stream()
        .filter(unreadable -> unreadable.id().compareTo(end) > 0)
        .limit(limit)
        .map(TaskEndpoints::view)
        .toList();
  }

  private static Map<String, String> view(Unreadable unreadable) {
    Map<String, String> view = new LinkedHashMap<>();
    view.put("id", unreadable.id());
    view.put("problem", unreadable.problems());
    return view;
  }

  Answer find(String id) {
    Task task = existing(id);
    return Answer.json(200, TaskView.of(task)).with("ETag", TaskView.entityTag(task));
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

  /**
   * @param ifMatch the entity tag that the task must have, if that matters
   */
  Answer edit(String id, Map<?, ?> patch, Optional<String> ifMatch) {
    TaskId taskId = TaskId.parse(id).orElseThrow(() -> unknown(id));
    OptionalLong revision = OptionalLong.empty();
    if (ifMatch.isPresent() && !ifMatch.get().strip().equals("*")) {
      revision = TaskView.revisionIn(ifMatch.get());
      if (revision.isEmpty()) {
        throw hasChanged(id);
      }
    }
    EditAnswer answer = lifecycle.edit(taskId, new DefinitionEdit(patch), revision);
    if (answer instanceof EditAnswer.Edited edited) {
      return Answer.json(200, TaskView.of(edited.task()))
          .with("ETag", TaskView.entityTag(edited.task()));
    }
    if (answer instanceof EditAnswer.Refused refused) {
      throw new RefusedException(Problems.invalid(refused.problems()));
    }
    if (answer instanceof EditAnswer.Final ended) {
      throw new RefusedException(
          Problems.answer(
              409, "task " + id + " is " + ended.task().status() + " and cannot be changed"));
    }
    throw answer instanceof EditAnswer.Changed ? hasChanged(id) : unknown(id);
  }

  private static RefusedException hasChanged(String id) {
    return new RefusedException(
        Problems.answer(
            412, "task " + id + " has been changed since; get it, and decide on what it is now"));
  }

  /** Previews a task that is not stored. */
  Answer preview(byte[] body) {
    Instant now = clock.instant();
    Map<String, Object> fields = new LinkedHashMap<>();
    StrictJson.object(body).forEach((name, value) -> fields.put(String.valueOf(name), value));
    fields.putIfAbsent("name", "preview");
    Form form = Form.of(fields);
    Set<String> ofRange = Set.of("from", "until", "count");
    ofRange.forEach(form::has); // else they would be unknown to who reads the definition
    Optional<TaskDefinition> definition = DefinitionReader.readNew(form, now);
    Optional<Preview.Range> range =
        Preview.Range.read(form, now, definition.map(TaskDefinition::schedule));
    if (definition.isEmpty() || range.isEmpty()) {
      throw new RefusedException(Problems.invalid(form.problems()));
    }
    return Answer.json(
        200, PreviewView.of(Preview.of(definition.get().schedule(), range.get(), now)));
  }

  /** Previews a stored task as it stands. */
  Answer preview(String id, QueryParameters parameters) {
    Instant now = clock.instant();
    Form form = Form.of(parameters.asForm());
    Task task = existing(id);
    Optional<Preview.Range> range =
        Preview.Range.read(form, now, Optional.of(task.definition().schedule()));
    form.rejectUnknown();
    if (!form.problems().isEmpty()) {
      throw new RefusedException(Problems.invalid(form.problems()));
    }
    return Answer.json(200, PreviewView.of(TaskPreview.of(task, range.orElseThrow())));
  }

  private Task existing(String id) {
    return TaskId.parse(id).flatMap(store::find).orElseThrow(() -> unknown(id));
  }

  static RefusedException unknown(String id) {
    return new RefusedException(Problems.answer(404, "there is no task " + id));
  }
}
