package dev.carillon.handler;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * One attempt of a sub-task.
 *
 * @param index which of the task's sub-tasks, from 0
 * @param attempt which attempt of it, from 1
 * @param dueAt when the schedule wants it
 * @param idempotencyKey the same for every attempt of the sub-task, and unlike that of any other
 * @param fencingToken grows along the sub-tasks and attempts of a task: whoever keeps the greatest
 *     that it has seen can refuse an attempt that was overtaken by a later one
 * @param metadata the task's
 * @param payload the action's payload as strings, numbers, booleans, unmodifiable lists and maps,
 *     or null if it has none
 * @param payloadJson the same as JSON, for a mapper of your own; {@code "null"} if there is none
 */
public record TaskRun(
    String taskId,
    String taskName,
    long index,
    int attempt,
    Instant dueAt,
    String idempotencyKey,
    long fencingToken,
    Map<String, String> metadata,
    Object payload,
    String payloadJson) {

  public TaskRun {
    Objects.requireNonNull(taskId, "taskId");
    Objects.requireNonNull(taskName, "taskName");
    Objects.requireNonNull(dueAt, "dueAt");
    Objects.requireNonNull(idempotencyKey, "idempotencyKey");
    Objects.requireNonNull(payloadJson, "payloadJson");
    metadata = Map.copyOf(metadata);
  }
}
