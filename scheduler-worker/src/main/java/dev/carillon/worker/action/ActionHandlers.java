package dev.carillon.worker.action;

import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.task.Action;
import dev.carillon.task.ActionTexts;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.Template;
import dev.carillon.worker.action.ActionHandler.Attempt;

/** Finds the handler for a task's action. Thread-safe. */
public final class ActionHandlers {

  private final ActionHandler<Action.Log> log;
  private final ActionHandler<Action.Http> http;
  private final ActionHandler<Action.Amqp> amqp;
  private final ActionHandler<Action.Code> code;

  public ActionHandlers(
      ActionHandler<Action.Log> log,
      ActionHandler<Action.Http> http,
      ActionHandler<Action.Amqp> amqp,
      ActionHandler<Action.Code> code) {
    this.log = log;
    this.http = http;
    this.amqp = amqp;
    this.code = code;
  }

  /** Carries out the action of a claimed sub-task, with its templates filled in. */
  public Outcome handle(Won won) throws InterruptedException {
    Task task = won.task();
    Action action =
        ActionTexts.fill(task.definition().action(), Template.valuesFor(task, won.subTask()));
    Attempt attempt = Attempt.of(won);
    if (action instanceof Action.Http request) {
      return http.handle(request, attempt);
    }
    if (action instanceof Action.Amqp message) {
      return amqp.handle(message, attempt);
    }
    if (action instanceof Action.Code named) {
      return code.handle(named, attempt);
    }
    return log.handle((Action.Log) action, attempt);
  }
}
