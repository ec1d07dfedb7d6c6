package dev.carillon.queue;

import dev.carillon.task.TaskId;
import java.util.Objects;

/**
 * Word of a sub-task that was given up, since its workers died of it again and again.
 *
 * @param reason for people
 */
public record GivenUp(TaskId task, long index, String reason) {

  public GivenUp {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(reason, "reason");
  }
}
