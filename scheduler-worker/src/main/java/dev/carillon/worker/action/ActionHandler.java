package dev.carillon.worker.action;

import dev.carillon.task.Action;
import dev.carillon.task.Outcome;
import java.time.Duration;
import java.util.Map;

/**
 * Carries out one kind of action. Thread-safe.
 *
 * @param <A> the kind
 */
public interface ActionHandler<A extends Action> {

  /**
   * Does it once and says how it went. Whatever goes wrong on the other side is an outcome. Ends
   * soon when the thread is interrupted.
   *
   * @throws InterruptedException when it was interrupted before it was done
   */
  Outcome handle(A action, Attempt attempt) throws InterruptedException;

  /**
   * What an action may need to know about the attempt.
   *
   * @param idempotencyKey the same for every attempt of a sub-task
   * @param timeout after which it is interrupted, if it has not ended by itself
   * @param headers what every message to the outside carries, by name
   */
  record Attempt(
      String taskName, String idempotencyKey, Duration timeout, Map<String, String> headers) {}
}
