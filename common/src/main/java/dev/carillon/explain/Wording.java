package dev.carillon.explain;

import dev.carillon.form.Form;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;

/** What explanations have in common. */
final class Wording {

  private Wording() {}

  /** Such as "Sub-task 3 (due 2027-01-04T08:00:00Z)", to begin a sentence. */
  static String name(SubTask subTask) {
    boolean isSpread = subTask.attempt() == 0 && subTask.runAt().isAfter(subTask.dueAt());
    return "Sub-task %d (due %s%s)"
        .formatted(
            subTask.index(),
            subTask.dueAt(),
            isSpread ? ", by its jitter to run " + subTask.runAt() : "");
  }

  static String attempts(SubTask subTask) {
    return subTask.attempt() + (subTask.attempt() == 1 ? " attempt" : " attempts");
  }

  static String error(SubTask subTask) {
    return subTask.error().orElse("the reason is not known");
  }

  static String onResuming(Task task) {
    return "When it is resumed, " + misfire(task);
  }

  /** Who decides about what is late. */
  static String misfire(Task task) {
    return "misfire (%s) says whether it is run or skipped."
        .formatted(Form.word(task.definition().misfire().rule()));
  }
}
