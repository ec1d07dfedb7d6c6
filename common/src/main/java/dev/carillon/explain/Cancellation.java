package dev.carillon.explain;

import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.time.Instant;

/** Tells by whose cancellation a sub-task was canceled, as far as that can be told. */
final class Cancellation {

  private Cancellation() {}

  /** Such as "by itself", to be put after a colon. */
  static String of(Task task, SubTask canceled) {
    if (task.status() != TaskStatus.CANCELED || hasBeenPassed(task, canceled)) {
      return "by itself";
    }
    String onlyIf = canceled.attempt() == 0 ? ", if not by itself before" : "";
    return "with its task, canceled " + when(task) + onlyIf;
  }

  /**
   * Sub-tasks start in their order: one that still waited for the first time had none behind it.
   */
  private static boolean hasBeenPassed(Task task, SubTask canceled) {
    return canceled.index() >= 0
        && canceled.attempt() == 0
        && task.subTasks().stream()
            .anyMatch(other -> other.index() > canceled.index() && other.attempt() > 0);
  }

  /** A canceled task does not change any more, but for the ends of runs that were on. */
  private static String when(Task task) {
    Instant changed = task.updatedAt();
    boolean isOnlyBound =
        !task.leases().isEmpty()
            || task.subTasks().stream().anyMatch(subTask -> endedAt(subTask, changed))
            || task.extras().subTasks().stream().anyMatch(subTask -> endedAt(subTask, changed));
    return (isOnlyBound ? "by " : "at ") + changed;
  }

  private static boolean endedAt(SubTask subTask, Instant instant) {
    return subTask.run().flatMap(SubTask.Run::finishedAt).filter(instant::equals).isPresent();
  }
}
