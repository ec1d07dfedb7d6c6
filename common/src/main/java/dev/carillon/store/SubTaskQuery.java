package dev.carillon.store;

import dev.carillon.task.SubTaskStatus;
import java.util.Optional;

/**
 * Which sub-tasks of a task to list.
 *
 * @param fromIndex only those with this index or a greater one; extra runs have negative ones
 * @param limit at most so many
 */
public record SubTaskQuery(Optional<SubTaskStatus> status, long fromIndex, int limit) {

  public SubTaskQuery {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be positive");
    }
  }
}
