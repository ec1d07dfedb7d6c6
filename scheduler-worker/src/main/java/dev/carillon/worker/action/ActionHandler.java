package dev.carillon.worker.action;

import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.task.Action;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
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
   * @param number which attempt of the sub-task it is, from 1
   * @param fencingToken grows from attempt to attempt of a task: a receiver that keeps the greatest
   *     it has seen can refuse a late one
   * @param timeout after which it is interrupted, if it has not ended by itself
   */
  record Attempt(
      TaskId task,
      String taskName,
      Map<String, String> metadata,
      long index,
      int number,
      Instant dueAt,
      long fencingToken,
      Duration timeout) {

    static Attempt of(Won won) {
      Task task = won.task();
      SubTask run = won.subTask();
      return new Attempt(
          task.id(),
          task.definition().name(),
          task.definition().metadata(),
          run.index(),
          run.attempt(),
          run.dueAt(),
          won.claim().token(),
          task.definition().timeout());
    }

    /** The same for every attempt of a sub-task: lets a receiver see that it has had it already. */
    public String idempotencyKey() {
      return SubTask.idempotencyKey(task, index);
    }

    /** What every message to the outside carries, by name. */
    public Map<String, String> headers() {
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("X-Carillon-Task-Id", task.value());
      headers.put("X-Carillon-Index", String.valueOf(index));
      headers.put("X-Carillon-Attempt", String.valueOf(number));
      headers.put("X-Carillon-Due-At", dueAt.toString());
      headers.put("X-Carillon-Fencing-Token", String.valueOf(fencingToken));
      return headers;
    }
  }
}
