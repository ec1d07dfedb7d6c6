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
 * @param claim who runs the live sub-task, if anybody does
 * @param cursor index of the live sub-task: the one that runs now or next
 * @param subTasks a window on the chain without gaps, by index: the last finished ones, the live
 *     one, the next ones. Older ones are in the archive, later ones are not generated yet.
 * @param tally of all sub-tasks that have ended
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
    Optional<Claim> claim,
    long cursor,
    List<SubTask> subTasks,
    Tally tally,
    Optional<Instant> wakeAt) {

  public Task {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(createdAt, "createdAt");
    Objects.requireNonNull(updatedAt, "updatedAt");
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(tally, "tally");
    Objects.requireNonNull(wakeAt, "wakeAt");
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
    boolean hasLive = cursor < start + subTasks.size();
    if (!hasLive && (wakeAt.isPresent() || claim.isPresent())) {
      throw new IllegalArgumentException("something is to come, but no sub-task is live");
    }
  }

  /** The sub-task with the given index, if the window has it. */
  public Optional<SubTask> subTask(long index) {
    long position = index - subTasks.get(0).index();
    return position >= 0 && position < subTasks.size()
        ? Optional.of(subTasks.get((int) position))
        : Optional.empty();
  }

  /** The sub-task that runs now or next; empty when the chain has come to its end. */
  public Optional<SubTask> live() {
    return subTask(cursor);
  }

  /** Whether the given claim still holds: nobody has taken over since, and it has not ended. */
  public boolean isHeldBy(Claim held) {
    return claim.isPresent() && claim.get().equals(held);
  }

  /** When the live sub-task is due; empty when none will run. */
  public Optional<Instant> nextDueAt() {
    return status == TaskStatus.ACTIVE ? live().map(SubTask::dueAt) : Optional.empty();
  }

  /** How many sub-tasks the task has from its first to its last; empty when it has no end. */
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
