package dev.carillon.event;

import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Something that has happened to a task.
 *
 * @param type what, for example {@code task.created} or {@code sub-task.succeeded}
 * @param task as it is since then
 * @param subTask to which of its sub-tasks it happened, as that is since then; empty when it is
 *     about the task
 */
public record TaskEvent(String type, Task task, Optional<SubTask> subTask) {

  public TaskEvent {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(subTask, "subTask");
  }

  /**
   * Unlike that of any other event, and the same whenever this one is made again. Each exchange of
   * a task gives it a version of its own.
   */
  public String id() {
    String what = subTask.map(one -> type + "." + one.index()).orElse(type);
    return task.id() + "." + task.version() + "." + what;
  }

  /** When it happened. */
  public Instant at() {
    return task.updatedAt();
  }
}
