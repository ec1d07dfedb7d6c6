package dev.carillon.worker.action;

import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.task.Action;
import dev.carillon.task.ActionTexts;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.Template;
import dev.carillon.worker.action.ActionHandler.Attempt;
import java.util.LinkedHashMap;
import java.util.Map;

/** Finds the handler for a task's action. Thread-safe. */
public final class ActionHandlers {

  /** Lets a receiver see that it has had a sub-task already. */
  public static final String TASK_ID = "X-Carillon-Task-Id";

  public static final String INDEX = "X-Carillon-Index";
  public static final String ATTEMPT = "X-Carillon-Attempt";
  public static final String DUE_AT = "X-Carillon-Due-At";

  /** The fencing number: a receiver that keeps the greatest it has seen can refuse a late one. */
  public static final String FENCING_TOKEN = "X-Carillon-Fencing-Token";

  private final ActionHandler<Action.Log> log;
  private final ActionHandler<Action.Http> http;
  private final ActionHandler<Action.Amqp> amqp;

  public ActionHandlers(
      ActionHandler<Action.Log> log,
      ActionHandler<Action.Http> http,
      ActionHandler<Action.Amqp> amqp) {
    this.log = log;
    this.http = http;
    this.amqp = amqp;
  }

  /** Carries out the action of a claimed sub-task, with its templates filled in. */
  public Outcome handle(Won won) throws InterruptedException {
    Task task = won.task();
    Action action =
        ActionTexts.fill(
            task.definition().action(), Template.valuesFor(task, task.live().orElseThrow()));
    Attempt attempt = attempt(won);
    if (action instanceof Action.Http request) {
      return http.handle(request, attempt);
    }
    if (action instanceof Action.Amqp message) {
      return amqp.handle(message, attempt);
    }
    return log.handle((Action.Log) action, attempt);
  }

  private static Attempt attempt(Won won) {
    Task task = won.task();
    SubTask live = task.live().orElseThrow();
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(TASK_ID, task.id().value());
    headers.put(INDEX, String.valueOf(live.index()));
    headers.put(ATTEMPT, String.valueOf(live.attempt()));
    headers.put(DUE_AT, live.dueAt().toString());
    headers.put(FENCING_TOKEN, String.valueOf(won.claim().token()));
    return new Attempt(
        task.definition().name(),
        SubTask.idempotencyKey(task.id(), live.index()),
        task.definition().timeout(),
        headers);
  }
}
