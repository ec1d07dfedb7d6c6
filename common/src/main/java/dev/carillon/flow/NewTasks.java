package dev.carillon.flow;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Task;
import java.util.ArrayList;
import java.util.List;

/** Brings planned tasks into being, many at a time. Thread-safe. */
final class NewTasks {

  private final TaskStore store;
  private final SchedulerMetrics metrics;
  private final Parker parker;

  NewTasks(Ports ports) {
    this.store = ports.store();
    this.metrics = ports.metrics();
    this.parker = new Parker(ports);
  }

  /**
   * Stores planned tasks and parks their first sub-tasks, each unless there is one with its id.
   * What could not be parked is parked by a sweep.
   *
   * @return for each whether it was not there yet
   */
  List<Boolean> insertAll(List<Task> planned) {
    List<Boolean> inserted = store.insert(planned);
    List<Task> created = new ArrayList<>();
    for (int i = 0; i < planned.size(); i++) {
      if (inserted.get(i)) {
        metrics.taskCreated();
        created.add(planned.get(i));
      }
    }
    parker.park(created);
    return inserted;
  }
}
