package dev.carillon.explain;

import dev.carillon.explain.Explanation.State;
import dev.carillon.explain.Explanation.WaitsFor;
import dev.carillon.schedule.DueCheck;
import dev.carillon.schedule.Schedule;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** Explains an instant that is later than all sub-tasks that there are. */
final class NotGenerated {

  private final Task task;
  private final Schedule schedule;
  private final SubTask last;
  private final Instant at;
  private final Instant now;

  NotGenerated(Task task, Instant at, Instant now) {
    this.task = task;
    this.schedule = task.definition().schedule();
    this.last = task.subTasks().get(task.subTasks().size() - 1);
    this.at = at;
    this.now = now;
  }

  Explanation explain() {
    DueCheck check = DueCheck.of(schedule, at);
    Optional<Instant> due = check.isDue() ? Optional.of(at) : dueOfRunTime();
    if (due.isEmpty()) {
      return neverDue(check);
    }
    OptionalLong index = indexOf(due.get());
    return isOverMaxRuns(index) ? overMaxRuns() : toCome(due.get(), name(index));
  }

  private Explanation neverDue(DueCheck check) {
    if (task.status().isFinal()) {
      return Neighbours.neverDue(at, check.reason(), Optional.of(last.dueAt()), Optional.empty());
    }
    Optional<Instant> before = check.before().filter(last.dueAt()::isBefore);
    return before.filter(this::isOver).isPresent()
        ? overMaxRuns()
        : Neighbours.neverDue(
            at,
            check.reason(),
            before.or(() -> Optional.of(last.dueAt())),
            check.after().filter(next -> !isOver(next)));
  }

  private Explanation overMaxRuns() {
    long limit = schedule.maxRuns().getAsLong();
    return Explanation.of(
        at,
        State.NEVER_DUE,
        "Nothing is due then: over maxRuns (%d). The last one is sub-task %d."
            .formatted(limit, Math.max(limit - 1, last.index())));
  }

  private boolean isOver(Instant due) {
    return isOverMaxRuns(indexOf(due));
  }

  private Explanation toCome(Instant due, String name) {
    String when = due.equals(at) ? "due then" : "due " + due + " and to run then by its jitter";
    if (task.status() == TaskStatus.CANCELED) {
      return Explanation.of(
          at, State.CANCELED, "The task has been canceled, so that nothing of it starts any more.");
    }
    if (task.status() == TaskStatus.FINISHED) {
      return last.status() == SubTaskStatus.SKIPPED
          ? Explanation.of(
              at,
              State.SKIPPED,
              "It was skipped with all that was left when the task was resumed after its end.")
          : Explanation.of(
              at,
              State.FORMER_SCHEDULE,
              "The task had finished before an edit gave it the schedule that has this instant.");
    }
    boolean isLate = !at.isAfter(now);
    if (task.status() == TaskStatus.PAUSED) {
      return Explanation.of(
              at,
              isLate ? State.PAUSED : State.NOT_GENERATED,
              name
                  + " is "
                  + when
                  + ", but the task is paused. "
                  + (isLate
                      ? Wording.onResuming(task)
                      : "It is generated when the task has been resumed and those before it end."))
          .waitingFor(WaitsFor.RESUME);
    }
    return Explanation.of(
            at,
            isLate ? State.WAITING : State.NOT_GENERATED,
            name
                + " is "
                + when
                + " and not generated yet: only the next few (GENERATED_AHEAD) are. It comes in as"
                + " those before it end; the next of them is sub-task "
                + task.cursor()
                + ".")
        .waitingFor(WaitsFor.EARLIER_SUB_TASK);
  }

  /** The due time of what is to run at the instant by its jitter; empty when nothing is. */
  private Optional<Instant> dueOfRunTime() {
    Duration jitter = schedule.longestJitter();
    if (jitter.isZero()) {
      return Optional.empty();
    }
    Instant earliest = at.minus(jitter).minusMillis(1);
    Instant from = earliest.isAfter(last.dueAt()) ? earliest : last.dueAt();
    OptionalLong before = indexOf(from);
    if (before.isEmpty()) {
      return Optional.empty();
    }
    long index = before.getAsLong();
    Optional<Instant> due = schedule.next(from).filter(at::isAfter);
    while (due.isPresent()) {
      String key = SubTask.idempotencyKey(task.id(), ++index);
      if (due.get().plus(schedule.jitterFor(key)).equals(at)) {
        return due;
      }
      due = schedule.next(due.get()).filter(at::isAfter);
    }
    return Optional.empty();
  }

  /** The index of the last one that is due by then; empty when they are too many to count. */
  private OptionalLong indexOf(Instant due) {
    OptionalLong further = schedule.count(last.dueAt(), due);
    return further.isEmpty() ? further : OptionalLong.of(last.index() + further.getAsLong());
  }

  private boolean isOverMaxRuns(OptionalLong index) {
    OptionalLong limit = schedule.maxRuns();
    return limit.isPresent() && index.isPresent() && index.getAsLong() >= limit.getAsLong();
  }

  private static String name(OptionalLong index) {
    return index.isPresent() ? "Sub-task " + index.getAsLong() : "A sub-task";
  }
}
