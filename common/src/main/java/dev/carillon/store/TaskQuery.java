package dev.carillon.store;

import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.util.Optional;

/**
 * Which tasks to list.
 *
 * @param name the exact name
 * @param olderThan only tasks after this one in the listing, which runs from new to old
 * @param limit at most so many
 */
public record TaskQuery(
    Optional<TaskStatus> status,
    Optional<String> tag,
    Optional<String> name,
    Optional<TaskId> olderThan,
    int limit) {

  public TaskQuery {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be positive");
    }
  }
}
