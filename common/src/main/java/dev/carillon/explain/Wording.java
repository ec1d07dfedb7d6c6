package dev.carillon.explain;

import dev.carillon.form.Form;
import dev.carillon.task.Origin;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;

/** What explanations have in common. */
final class Wording {

  private Wording() {}

  /** Such as "Sub-task 3 (due 2027-01-04T08:00:00Z)", to begin a sentence. */
  static String name(SubTask subTask) {
    boolean isLater = subTask.attempt() == 0 && subTask.runAt().isAfter(subTask.dueAt());
    boolean isSpread = subTask.origin() == Origin.SCHEDULE;
    String name = shortName(subTask);
    return "%s (due %s%s)"
        .formatted(
            Character.toUpperCase(name.charAt(0)) + name.substring(1),
            subTask.dueAt(),
            isLater ? (isSpread ? ", by its jitter to run " : ", to run ") + subTask.runAt() : "");
  }

  /** Such as "sub-task 3". */
  static String shortName(SubTask subTask) {
    return switch (subTask.origin()) {
          case SCHEDULE -> "sub-task ";
          case TRIGGER -> "extra run ";
          case BACKFILL -> "backfill run ";
        }
        + subTask.index();
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
