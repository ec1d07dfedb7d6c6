package dev.carillon.explain;

import dev.carillon.explain.Explanation.State;
import dev.carillon.schedule.DueCheck;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import java.time.Instant;
import java.util.Optional;

/** Explains what has become, or is to become, of one instant of a task. */
public final class Explainer {

  private final Task task;
  private final Instant at;
  private final Surroundings around;
  private final DueCheck check;

  private Explainer(Task task, Surroundings around, Instant at) {
    this.task = task;
    this.at = at;
    this.around = around;
    this.check = DueCheck.of(task.definition().schedule(), at);
  }

  /**
   * Pure, but for what the chronicle does.
   *
   * @param chronicle of the task; asked only about what has left the task's window
   * @param at a due time, or the later time at which a sub-task is to run by its jitter; any other
   *     instant is explained as well. Whole milliseconds, with a year from 0001 to 9999.
   */
  public static Explanation explain(
      Task task, Chronicle chronicle, Instant at, Situation situation) {
    Surroundings around = Surroundings.of(task, chronicle, at);
    ExtraRuns extras = new ExtraRuns(task, chronicle, at);
    Optional<SubTask> extra = extras.find();
    if (around.match().isPresent()) {
      String besides = extra.map(ExtraRuns::mention).orElse("");
      return new SubTaskExplanation(task, around.match().get(), at, situation)
          .explain()
          .adding(besides);
    }
    if (extra.isPresent()) {
      return new SubTaskExplanation(task, extra.get(), at, situation).explain();
    }
    return extras.ofBackfill().orElseGet(() -> withoutRun(task, around, at, situation, extras));
  }

  private static Explanation withoutRun(
      Task task, Surroundings around, Instant at, Situation situation, ExtraRuns extras) {
    Explanation explanation =
        around.after().isPresent()
            ? new Explainer(task, around, at).beforeSomething()
            : new NotGenerated(task, at, situation.now()).explain();
    return switch (explanation.state()) {
      case BEFORE_CREATION -> extras.ofCanceledBackfill().orElse(explanation);
      case NEVER_DUE ->
          at.isAfter(task.createdAt()) ? explanation.adding(formerly(task)) : explanation;
      default -> explanation;
    };
  }

  /** Former schedules are not kept; that there may have been one is all that can be told. */
  private static String formerly(Task task) {
    return task.revision() == 1
        ? ""
        : " The task has been edited since it was created (it is at revision %d): an earlier schedule"
                .formatted(task.revision())
            + " may have had this instant.";
  }

  /** There is no sub-task for it, but one that comes later: so there will be none. */
  private Explanation beforeSomething() {
    if (!at.isAfter(task.createdAt())) {
      return beforeCreation();
    }
    if (!around.isGapless()) {
      return notKept();
    }
    Optional<Instant> before = around.before().map(SubTask::dueAt);
    Optional<Instant> after = around.after().map(SubTask::dueAt);
    return check.isDue()
        ? Explanation.of(
                at,
                State.FORMER_SCHEDULE,
                "Nothing was due: the schedule has this instant as it is now (revision "
                    + task.revision()
                    + "), but not as it was then. "
                    + Neighbours.inWords(before, after))
            .between(before, after)
        : Neighbours.neverDue(at, check.reason(), before, after);
  }

  private Explanation beforeCreation() {
    Optional<Instant> first =
        around.after().filter(after -> after.index() == 0).map(SubTask::dueAt);
    return check.isDue()
        ? Explanation.of(
                at,
                State.BEFORE_CREATION,
                "Nothing was due: the task was created at "
                    + task.createdAt()
                    + ", and what had passed by then is not made up for. "
                    + Neighbours.inWords(Optional.empty(), first))
            .between(Optional.empty(), first)
        : Neighbours.neverDue(at, check.reason(), Optional.empty(), first);
  }

  /** What was there once has been removed; only the schedule as it is now can tell something. */
  private Explanation notKept() {
    Optional<Instant> before = check.before().filter(task.createdAt()::isBefore);
    Optional<Instant> kept = around.after().map(SubTask::dueAt);
    Optional<Instant> after = check.after().filter(kept.orElseThrow()::isAfter).or(() -> kept);
    String formerly =
        task.revision() == 1
            ? ""
            : " The task has been edited since it was created; this is by its schedule as it is now.";
    if (check.isDue()) {
      return Explanation.of(
              at,
              State.GONE,
              "What became of it is not known any more: what has ended is kept for a time"
                  + " (RETENTION) and then removed. The earliest that is kept was due "
                  + kept.get()
                  + "."
                  + formerly)
          .between(before, after);
    }
    return Neighbours.neverDue(at, check.reason(), before, after);
  }
}
