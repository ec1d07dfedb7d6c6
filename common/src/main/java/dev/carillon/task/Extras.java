package dev.carillon.task;

import java.util.List;

/**
 * What a task has besides the window on its chain. Extra runs, which somebody wanted beyond the
 * schedule, have the indices −1, −2 … in the order in which they came to be; sub-tasks of the chain
 * that have something left to do when the window has passed them keep their own.
 *
 * @param runs how many extra runs there have been
 * @param subTasks those that are not in the archive
 * @param backfills ranges that still have instants to run, the first first
 */
public record Extras(long runs, List<SubTask> subTasks, List<Backfill> backfills) {

  public static final Extras NONE = new Extras(0, List.of(), List.of());

  public Extras {
    if (runs < 0) {
      throw new IllegalArgumentException("runs must not be negative");
    }
    subTasks = List.copyOf(subTasks);
    backfills = List.copyOf(backfills);
  }
}
