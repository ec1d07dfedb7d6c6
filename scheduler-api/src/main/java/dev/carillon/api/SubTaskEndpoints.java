package dev.carillon.api;

import dev.carillon.flow.SubTaskLifecycle;
import dev.carillon.flow.SubTaskLifecycle.Answer.Accepted;
import dev.carillon.flow.SubTaskLifecycle.Answer.Done;
import dev.carillon.flow.SubTaskLifecycle.Answer.OtherRequest;
import dev.carillon.flow.SubTaskLifecycle.Answer.Refused;
import dev.carillon.flow.SubTaskLifecycle.Answer.Unusable;
import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.KeyedRequest;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What can be done over HTTP with the single runs of a task. Thread-safe. */
public final class SubTaskEndpoints {

  /** All triggers of a task are the same request, and none is a JSON body. */
  private static final byte[] TRIGGER = "trigger".getBytes(StandardCharsets.UTF_8);

  private static final Pattern INDEX = Pattern.compile("0|-?[1-9][0-9]{0,17}");

  private final SubTaskLifecycle lifecycle;
  private final TaskStore store;
  private final InstantSource clock;

  public SubTaskEndpoints(SubTaskLifecycle lifecycle, TaskStore store, InstantSource clock) {
    this.lifecycle = lifecycle;
    this.store = store;
    this.clock = clock;
  }

  Answer list(String id, QueryParameters parameters) {
    int limit = parameters.limit();
    SubTaskQuery query =
        new SubTaskQuery(
            parameters.constant("status", SubTaskStatus.class),
            parameters.cursor(Cursor::readIndex).orElse(Long.MIN_VALUE),
            limit + 1);
    parameters.check();
    Task task = TaskId.parse(id).flatMap(store::find).orElseThrow(() -> unknown(id));
    List<SubTask> found = store.subTasks(task.id(), query);
    return Page.of(found, limit, TaskView::of, last -> Cursor.from(last.index() + 1));
  }

  Answer find(String id, String index) {
    TaskId task = taskId(id);
    long wanted = index(id, index);
    return store.subTasks(task, new SubTaskQuery(Optional.empty(), wanted, 1)).stream()
        .filter(subTask -> subTask.index() == wanted)
        .findFirst()
        .map(subTask -> Answer.json(200, TaskView.of(subTask)))
        .orElseThrow(() -> unknown(id, index));
  }

  Answer trigger(String id, IdempotencyKey key) {
    Optional<KeyedRequest> request = key.request(TRIGGER, clock.instant());
    return done(201, lifecycle.trigger(taskId(id), request), unknown(id), id);
  }

  Answer retry(String id, String index) {
    return done(202, lifecycle.retry(taskId(id), index(id, index)), unknown(id, index), id);
  }

  Answer cancel(String id, String index) {
    done(204, lifecycle.cancel(taskId(id), index(id, index)), unknown(id, index), id);
    return Answer.empty(204);
  }

  Answer backfill(String id, byte[] body, IdempotencyKey key) {
    Form form = Form.of(StrictJson.object(body));
    Optional<Instant> from = required(form, "from");
    Optional<Instant> to = required(form, "to");
    form.rejectUnknown();
    if (to.isPresent() && !to.get().isBefore(clock.instant())) {
      form.reject("to", "must be in the past");
    }
    if (from.isPresent() && to.isPresent() && to.get().isBefore(from.get())) {
      form.reject("to", "must not be before from");
    }
    List<Problem> problems = new ArrayList<>(form.problems());
    key.problem().ifPresent(problems::add);
    if (!problems.isEmpty()) {
      throw new RefusedException(Problems.invalid(problems));
    }
    SubTaskLifecycle.Answer answer =
        lifecycle.backfill(
            taskId(id), from.orElseThrow(), to.orElseThrow(), key.request(body, clock.instant()));
    if (answer instanceof Unusable unusable) {
      throw new RefusedException(
          Problems.invalid(
              List.of(new Problem("", "names a range of no use: " + unusable.problem()))));
    }
    if (answer instanceof Accepted accepted) {
      Map<String, Object> view = new LinkedHashMap<>();
      view.put("from", from.get().toString());
      view.put("to", to.get().toString());
      view.put("instants", accepted.instants());
      return Answer.json(202, view);
    }
    throw refusal(answer, unknown(id), id);
  }

  private static Optional<Instant> required(Form form, String name) {
    if (form.isLeftOut(name)) {
      form.reject(name, "is required");
      return Optional.empty();
    }
    return form.instant(name);
  }

  private static Answer done(
      int status, SubTaskLifecycle.Answer answer, RefusedException ifUnknown, String id) {
    if (answer instanceof Done done) {
      return Answer.json(status, TaskView.of(done.subTask()))
          .with("Location", "/api/tasks/" + id + "/sub-tasks/" + done.subTask().index());
    }
    throw refusal(answer, ifUnknown, id);
  }

  private static RefusedException refusal(
      SubTaskLifecycle.Answer answer, RefusedException ifUnknown, String id) {
    if (answer instanceof OtherRequest) {
      return new RefusedException(IdempotencyKey.usedWithAnotherBody());
    }
    return answer instanceof Refused refused
        ? new RefusedException(
            Problems.answer(409, "this cannot be done with task " + id + ": " + refused.reason()))
        : ifUnknown;
  }

  private static TaskId taskId(String id) {
    return TaskId.parse(id).orElseThrow(() -> unknown(id));
  }

  private static long index(String id, String index) {
    if (!INDEX.matcher(index).matches()) {
      throw unknown(id, index);
    }
    return Long.parseLong(index);
  }

  private static RefusedException unknown(String id) {
    return new RefusedException(Problems.answer(404, "there is no task " + id));
  }

  private static RefusedException unknown(String id, String index) {
    return new RefusedException(
        Problems.answer(404, "there is no sub-task " + index + " of a task " + id));
  }
}
