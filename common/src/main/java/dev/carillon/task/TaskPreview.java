package dev.carillon.task;

import dev.carillon.schedule.Preview;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Previews the schedule of a task as it stands. What the task has sub-tasks for is as they are;
 * what comes after the last of them is by the schedule, as long as the task goes on. Pure.
 */
public final class TaskPreview {

  static final String NOT_PLANNED =
      "not planned: this was before the task was created, or before its schedule was changed";

  private final Task task;
  private final Map<Instant, SubTask> planned = new HashMap<>();
  private final SubTask first;
  private final SubTask last;

  private TaskPreview(Task task) {
    this.task = task;
    this.first = task.subTasks().get(0);
    this.last = task.subTasks().get(task.subTasks().size() - 1);
    Stream.concat(task.extras().subTasks().stream(), task.subTasks().stream())
        .filter(subTask -> subTask.origin() == Origin.SCHEDULE)
        .forEach(subTask -> planned.put(subTask.dueAt(), subTask));
  }

  /** When the task fires in the range, has fired, and why not. */
  public static Preview of(Task task, Preview.Range range) {
    TaskPreview known = new TaskPreview(task);
    Preview.Standing standing =
        new Preview.Standing(known.last.dueAt(), known.last.index() + 1, known::whyNot);
    return Preview.of(task.definition().schedule(), range, standing);
  }

  private Optional<String> whyNot(Instant due) {
    if (planned.containsKey(due)) {
      return whyNot(planned.get(due));
    }
    if (due.isAfter(last.dueAt())) {
      return task.status().isFinal() ? Optional.of(ended()) : Optional.empty();
    }
    // what is older than the window is in the archive: taken to have been by the schedule
    boolean isOlder = due.isBefore(first.dueAt()) && first.index() > 0;
    return isOlder ? Optional.empty() : Optional.of(NOT_PLANNED);
  }

  private Optional<String> whyNot(SubTask subTask) {
    return switch (subTask.status()) {
      case CANCELED -> Optional.of(task.status() == TaskStatus.CANCELED ? ended() : "canceled");
      case SKIPPED -> Optional.of("skipped" + subTask.error().map(why -> ": " + why).orElse(""));
      case SCHEDULED, PENDING, RUNNING, SUCCEEDED, FAILED -> Optional.empty();
    };
  }

  private String ended() {
    return task.status() == TaskStatus.CANCELED ? "the task is canceled" : "the task is finished";
  }
}
