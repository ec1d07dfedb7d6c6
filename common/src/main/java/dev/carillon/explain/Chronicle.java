package dev.carillon.explain;

import dev.carillon.task.SubTask;
import java.util.List;

/** The sub-tasks of a task that are kept, archived ones included. */
public interface Chronicle {

  /** Those with this index or a greater one, by index, at most {@code limit} of them. */
  List<SubTask> from(long index, int limit);
}
