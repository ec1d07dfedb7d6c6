package dev.carillon.event;

import dev.carillon.task.Chain;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Which events a change of a task is, told by nothing but the difference. Pure. */
public final class TaskEvents {

  private TaskEvents() {}

  /** A task is there. */
  public static List<TaskEvent> ofNew(Task task) {
    return List.of(of("task.created", task));
  }

  /** An attempt was claimed; no event if it is not going to begin. */
  public static List<TaskEvent> ofClaimed(Task task) {
    return Chain.isToBeSkipped(task)
        ? List.of()
        : List.of(new TaskEvent("sub-task.started", task, task.live()));
  }

  /** A task was exchanged for its next value. Sub-tasks first, by index. */
  public static List<TaskEvent> between(Task before, Task after) {
    List<TaskEvent> events = new ArrayList<>();
    for (SubTask now : after.subTasks()) {
      typeOf(before.subTask(now.index()), now)
          .ifPresent(type -> events.add(new TaskEvent(type, after, Optional.of(now))));
    }
    boolean isEdited = !before.definition().equals(after.definition());
    if (isEdited) {
      events.add(of("task.updated", after));
    }
    if (before.status() != after.status()) {
      String type =
          switch (after.status()) {
            case ACTIVE -> "task.resumed";
            case PAUSED -> "task.paused";
            case FINISHED -> "task.finished";
            case CANCELED -> "task.cancelled";
          };
      events.add(of(type, after));
    }
    return events;
  }

  private static TaskEvent of(String type, Task task) {
    return new TaskEvent(type, task, Optional.empty());
  }

  /**
   * @param before empty if it was not generated yet
   */
  private static Optional<String> typeOf(Optional<SubTask> before, SubTask now) {
    SubTaskStatus then = before.map(SubTask::status).orElse(SubTaskStatus.SCHEDULED);
    if (then == now.status() || then.isFinished()) {
      return Optional.empty();
    }
    if (now.status() == SubTaskStatus.CANCELED) {
      return Optional.of("sub-task.cancelled");
    }
    if (now.status().isFinished()) {
      return Optional.of("sub-task." + now.status().name().toLowerCase(Locale.ROOT));
    }
    boolean hasBegun = then == SubTaskStatus.RUNNING && now.attempt() > 0;
    boolean goesBack = now.status() != SubTaskStatus.RUNNING;
    // fewer attempts than before: it was claimed and not begun
    boolean isGivenBack = before.filter(one -> one.attempt() > now.attempt()).isPresent();
    return hasBegun && goesBack && !isGivenBack
        ? Optional.of("sub-task.retrying")
        : Optional.empty();
  }
}
