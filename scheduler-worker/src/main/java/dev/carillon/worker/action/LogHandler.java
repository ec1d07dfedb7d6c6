package dev.carillon.worker.action;

import dev.carillon.task.Action;
import dev.carillon.task.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes a line to the worker's log. */
public final class LogHandler implements ActionHandler<Action.Log> {

  private static final Logger log = LoggerFactory.getLogger(LogHandler.class);

  @Override
  public Outcome handle(Action.Log action, Attempt attempt) {
    log.info("\"{}\": {} {}", attempt.taskName(), attempt.idempotencyKey(), attempt.headers());
    return new Outcome.Succeeded();
  }
}
