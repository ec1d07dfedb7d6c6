package dev.carillon.queue;

import dev.carillon.task.Priority;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A hint that a sub-task may be due. It may come late, twice or never without harm: the truth is in
 * the store, where only the first claim with the current token succeeds.
 *
 * @param attempt number of the attempt that it asks for, from 1
 * @param token the arming that it belongs to
 * @param runAt when the attempt is meant to start
 * @param queue the pending queue that it waits in: one made for it, or one that it shares
 * @param parkedAt when it was decided to park it; with {@code runAt} it gives the queue's life
 * @param priority of the sub-task among those that are due
 */
public record Notice(
    TaskId task,
    long index,
    int attempt,
    long token,
    Instant runAt,
    String queue,
    Instant parkedAt,
    Priority priority) {

  public Notice {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(runAt, "runAt");
    Objects.requireNonNull(queue, "queue");
    Objects.requireNonNull(parkedAt, "parkedAt");
    Objects.requireNonNull(priority, "priority");
  }

  /** Of normal priority. */
  public Notice(
      TaskId task,
      long index,
      int attempt,
      long token,
      Instant runAt,
      String queue,
      Instant parkedAt) {
    this(task, index, attempt, token, runAt, queue, parkedAt, Priority.NORMAL);
  }

  /** The notice that should be waiting for a task as it is; empty when none should. */
  public static Optional<Notice> of(Task task) {
    return task.next()
        .filter(next -> next.status() == SubTaskStatus.PENDING)
        .map(next -> of(task, next, next.parked().orElseThrow()));
  }

  private static Notice of(Task task, SubTask next, SubTask.Parked parked) {
    return new Notice(
        task.id(),
        next.index(),
        next.attempt() + 1,
        task.token(),
        next.runAt(),
        parked.queue(),
        parked.at(),
        task.definition().priority());
  }
}
