package dev.carillon.task;

import dev.carillon.schedule.Schedule;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A task with its chain of sub-tasks: the single truth about both. Immutable; {@link Chain} makes
 * the next value from it, and a store exchanges one for the other if nobody was faster.
 *
 * @param revision grows with each edit by a user
 * @param version grows with each exchange in the store; whoever exchanges names the version seen
 * @param token number of the latest arming. A notice names the token it was armed with and is of no
 *     use once a later one exists; the run that it starts carries it as its fencing number.
 * @param leases of the claims of what runs now, in the order of their tokens
 * @param cursor index of the sub-task with which the chain goes on: the next one to start, or the
 *     one that runs if none may start beside it
 * @param subTasks a window on the chain without gaps, by index: the last finished ones, the one at
 *     the cursor, the next ones. Older ones are in the archive, later ones are not generated yet.
 * @param extras what there is besides the window
 * @param tally of all sub-tasks that have ended, extras included
 * @param busy if the sub-tasks that fall due during another run are skipped: the time of that run,
 *     as long as not all of them have been
 * @param inLineSince when its next sub-task was to start, if that is due and waits until fewer runs
 *     with the same {@linkplain Concurrency key} are on
 * @param wakeAt when somebody has to look after the task if nothing has happened by itself; empty
 *     when there is nothing to wait for
 */
public record Task(
    TaskId id,
    TaskDefinition definition,
    long revision,
    TaskStatus status,
    Instant createdAt,
    Instant updatedAt,
    long version,
    long token,
    List<Lease> leases,
    long cursor,
    List<SubTask> subTasks,
    Extras extras,
    Tally tally,
    Optional<Busy> busy,
    Optional<Instant> inLineSince,
    Optional<Instant> wakeAt) {

  public Task {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(createdAt, "createdAt");
    Objects.requireNonNull(updatedAt, "updatedAt");
    Objects.requireNonNull(extras, "extras");
    Objects.requireNonNull(tally, "tally");
    Objects.requireNonNull(busy, "busy");
    Objects.requireNonNull(inLineSince, "inLineSince");
    Objects.requireNonNull(wakeAt, "wakeAt");
    leases = List.copyOf(leases);
    subTasks = List.copyOf(subTasks);
    if (subTasks.isEmpty()) {
      throw new IllegalArgumentException("a task has at least one sub-task");
    }
    for (int i = 1; i < subTasks.size(); i++) {
      if (subTasks.get(i).index() != subTasks.get(0).index() + i) {
        throw new IllegalArgumentException("the window has a gap before " + subTasks.get(i));
      }
    }
    long start = subTasks.get(0).index();
    if (cursor < start || cursor > start + subTasks.size()) {
      throw new IllegalArgumentException("the cursor " + cursor + " is outside of the window");
    }
    for (Lease lease : leases) {
      if (find(lease.index(), subTasks, extras).isEmpty()) {
        throw new IllegalArgumentException(lease + " is for no sub-task");
      }
    }
    boolean isOver =
        cursor == start + subTasks.size()
            && subTasks.stream().allMatch(subTask -> subTask.status().isFinished())
            && extras.subTasks().stream().allMatch(subTask -> subTask.status().isFinished())
            && extras.backfills().isEmpty();
    if (isOver && (wakeAt.isPresent() || !leases.isEmpty())) {
      throw new IllegalArgumentException("something is to come, but no sub-task is left");
    }
  }

  /** The sub-task with the given index, unless it is in the archive or not generated yet. */
  public Optional<SubTask> subTask(long index) {
    return find(index, subTasks, extras);
  }

  private static Optional<SubTask> find(long index, List<SubTask> window, Extras extras) {
    long position = index - window.get(0).index();
    return position >= 0 && position < window.size()
        ? Optional.of(window.get((int) position))
        : extras.subTasks().stream().filter(subTask -> subTask.index() == index).findFirst();
  }

  /** The sub-task that is to start next; empty when none may, be it that another one runs. */
  public Optional<SubTask> next() {
    return new Candidates(
            status, definition.overlap(), leases.size(), cursor, subTasks, extras.subTasks())
        .next();
  }

  /**
   * The sub-task that runs, the first to have started if there are several; else the one that is to
   * start next; else the one at which the chain stands. Empty when all has come to its end.
   */
  public Optional<SubTask> live() {
    return leases.isEmpty() ? next().or(() -> subTask(cursor)) : subTask(leases.get(0).index());
  }

  /** The claim of the sub-task that runs, the first to have started if there are several. */
  public Optional<Claim> claim() {
    return leases.stream().findFirst().map(Lease::claim);
  }

  /** The lease of a claim; empty when it has ended, or somebody has taken over. */
  public Optional<Lease> lease(Claim held) {
    return leases.stream().filter(lease -> lease.claim().equals(held)).findFirst();
  }

  /** Whether the given claim still holds: nobody has taken over since, and it has not ended. */
  public boolean isHeldBy(Claim held) {
    return lease(held).isPresent();
  }

  /**
   * Whether the claim of its next sub-task is all that changes when that starts. Otherwise what
   * {@link Chain#begin} makes of the task has to be exchanged for it.
   *
   * @param index of the sub-task
   */
  public boolean isStartedByClaim(long index) {
    return status == TaskStatus.ACTIVE
        && definition.overlap() != Overlap.ALLOW
        && definition.concurrency().isEmpty()
        && index == cursor;
  }

  /** When the schedule's sub-task at the cursor is due; empty when none will run. */
  public Optional<Instant> nextDueAt() {
    return status == TaskStatus.ACTIVE ? subTask(cursor).map(SubTask::dueAt) : Optional.empty();
  }

  /** How many sub-tasks the chain has from its first to its last; empty when it has no end. */
  public OptionalLong totalSubTasks() {
    return totalSubTasks(subTasks.get(subTasks.size() - 1), definition.schedule());
  }

  /** How many there are altogether if the given one is the last that has been generated. */
  static OptionalLong totalSubTasks(SubTask last, Schedule schedule) {
    long generated = last.index() + 1;
    OptionalLong toCome = schedule.remaining(last.dueAt());
    OptionalLong limit = schedule.maxRuns();
    if (toCome.isEmpty() && limit.isEmpty()) {
      return OptionalLong.empty();
    }
    long bySchedule = toCome.isPresent() ? generated + toCome.getAsLong() : Long.MAX_VALUE;
    // an edit may allow fewer runs than there were already
    return OptionalLong.of(Math.max(generated, Math.min(bySchedule, limit.orElse(Long.MAX_VALUE))));
  }
}
