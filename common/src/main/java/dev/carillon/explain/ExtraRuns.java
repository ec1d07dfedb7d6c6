package dev.carillon.explain;

import dev.carillon.explain.Explanation.State;
import dev.carillon.explain.Explanation.WaitsFor;
import dev.carillon.schedule.DueCheck;
import dev.carillon.schedule.Schedule;
import dev.carillon.task.Backfill;
import dev.carillon.task.Origin;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The runs of a task that somebody wanted beyond its schedule. */
final class ExtraRuns {

  private static final int PAGE = 500;

  /** Older ones are not looked for: they are in no order of time. */
  private static final int MOST_PAGES = 20;

  private final Task task;
  private final Chronicle chronicle;
  private final Instant at;

  ExtraRuns(Task task, Chronicle chronicle, Instant at) {
    this.task = task;
    this.chronicle = chronicle;
    this.at = at;
  }

  /** The latest that is kept of those that are for the instant. */
  Optional<SubTask> find() {
    if (task.extras().runs() == 0) {
      return Optional.empty();
    }
    return task.extras().subTasks().stream()
        .filter(this::isMeant)
        .min(Comparator.comparing(SubTask::index))
        .or(this::archived);
  }

  /** The later an extra run came to be, the smaller is its index. */
  private Optional<SubTask> archived() {
    List<SubTask> page = chronicle.from(-task.extras().runs(), PAGE);
    for (int pages = 1; !page.isEmpty(); pages++) {
      Optional<SubTask> found = page.stream().filter(this::isMeant).findFirst();
      long last = page.get(page.size() - 1).index();
      if (found.isPresent() || last >= -1 || pages == MOST_PAGES) {
        return found;
      }
      page = chronicle.from(last + 1, PAGE);
    }
    return Optional.empty();
  }

  private boolean isMeant(SubTask subTask) {
    return subTask.index() < 0 && (subTask.dueAt().equals(at) || subTask.runAt().equals(at));
  }

  /** What there is to say while a backfill has the instant still before it. */
  Optional<Explanation> ofBackfill() {
    return task.extras().backfills().stream()
        .filter(range -> at.isAfter(range.done()) && !at.isAfter(range.to()))
        .filter(range -> DueCheck.of(scheduleOf(range), at).isDue())
        .findFirst()
        .map(this::toCome);
  }

  /**
   * What there is to say of an instant that a backfill may have had before it when it was canceled
   * with its task: its range is not kept, but where it had come to.
   */
  Optional<Explanation> ofCanceledBackfill() {
    if (task.status() != TaskStatus.CANCELED || task.extras().runs() == 0) {
      return Optional.empty();
    }
    return latestOfBackfill()
        .filter(run -> run.status() == SubTaskStatus.CANCELED && run.dueAt().isBefore(at))
        .map(
            run ->
                Explanation.of(
                    at,
                    State.CANCELED,
                    "The task has been canceled, and with it a backfill that had come to %s"
                            .formatted(run.dueAt())
                        + " (%s) and whose range is not kept. If it went as far as this instant,"
                            .formatted(Wording.shortName(run))
                        + " the run for it was canceled; else there was to be none, since the task"
                        + " was created at %s.".formatted(task.createdAt())));
  }

  private Optional<SubTask> latestOfBackfill() {
    return Stream.concat(
            task.extras().subTasks().stream(), chronicle.from(-task.extras().runs(), PAGE).stream())
        .filter(run -> run.origin() == Origin.BACKFILL)
        .min(Comparator.comparing(SubTask::index));
  }

  private Schedule scheduleOf(Backfill range) {
    return range.schedule().orElse(task.definition().schedule());
  }

  private Explanation toCome(Backfill range) {
    boolean isPaused = task.status() == TaskStatus.PAUSED;
    return Explanation.of(
            at,
            State.NOT_GENERATED,
            "The backfill of %s to %s has this instant before it: it runs one after the other%s."
                .formatted(
                    range.from(),
                    range.to(),
                    isPaused ? ", and goes on when the task is resumed" : ""))
        .waitingFor(isPaused ? WaitsFor.RESUME : WaitsFor.EARLIER_SUB_TASK);
  }

  /** One sentence about an extra run for an instant that the schedule has seen to itself. */
  static String mention(SubTask run) {
    return " %s is for the same instant: %s.".formatted(Wording.name(run), run.status());
  }
}
