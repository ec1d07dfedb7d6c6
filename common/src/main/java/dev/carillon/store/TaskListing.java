package dev.carillon.store;

import dev.carillon.task.Task;
import java.util.List;
import java.util.Objects;

/**
 * Tasks that fit a query, and those that would but cannot be read.
 *
 * @param tasks the newest first
 * @param unreadable those between them, the newest first; at most as many as tasks were asked for
 */
public record TaskListing(List<Task> tasks, List<Unreadable> unreadable) {

  public TaskListing {
    tasks = List.copyOf(tasks);
    unreadable = List.copyOf(unreadable);
  }

  /**
   * A stored document that is no task as this version of the program knows it.
   *
   * @param problems what is wrong with it
   */
  public record Unreadable(String id, String problems) {

    public Unreadable {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(problems, "problems");
    }
  }
}
