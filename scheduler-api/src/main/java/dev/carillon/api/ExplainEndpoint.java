package dev.carillon.api;

import dev.carillon.explain.Explainer;
import dev.carillon.explain.Situation;
import dev.carillon.form.Form;
import dev.carillon.queue.PendingQueues;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** Says over HTTP what has become of an instant of a task, or will. Thread-safe. */
public final class ExplainEndpoint {

  private final TaskStore store;
  private final PendingQueues pending;
  private final InstantSource clock;

  public ExplainEndpoint(TaskStore store, PendingQueues pending, InstantSource clock) {
    this.store = store;
    this.pending = pending;
    this.clock = clock;
  }

  Answer explain(String id, QueryParameters parameters) {
    Form form = Form.of(parameters.asForm());
    if (!form.has("at")) {
      form.reject("at", "is required");
    }
    Optional<Instant> at = form.instant("at");
    form.rejectUnknown();
    if (!form.problems().isEmpty()) {
      throw new RefusedException(Problems.invalid(form.problems()));
    }
    Task task = TaskId.parse(id).flatMap(store::find).orElseThrow(() -> TaskEndpoints.unknown(id));
    return Answer.json(
        200,
        ExplanationView.of(
            Explainer.explain(
                task,
                (index, limit) ->
                    store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), index, limit)),
                at.orElseThrow(),
                new Situation(clock.instant(), pending.isAvailable(), pending.isInProcess()))));
  }
}
