package dev.carillon.explain;

import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The sub-tasks around an instant that are kept.
 *
 * @param match the one that is due then, or else the one that is to run then
 * @param before the last one due before
 * @param after the first one due after
 */
record Surroundings(Optional<SubTask> match, Optional<SubTask> before, Optional<SubTask> after) {

  private static final int PAGE = 500;

  /**
   * Looks for them. Due times ascend with the indices, so that a long archive takes a few looks.
   */
  static Surroundings of(Task task, Chronicle chronicle, Instant at) {
    return new Search(task, chronicle, at).surroundings();
  }

  /** Whether nothing can have been between the two. */
  boolean isGapless() {
    return after.isPresent()
        && (before.isPresent()
            ? before.get().index() + 1 == after.get().index()
            : after.get().index() == 0);
  }

  private static final class Search {

    private final Task task;
    private final Chronicle chronicle;
    private final Instant at;
    private final Duration jitter;
    private final long firstOfWindow;
    private Optional<SubTask> match = Optional.empty();
    private Optional<SubTask> before = Optional.empty();
    private Optional<SubTask> after = Optional.empty();

    Search(Task task, Chronicle chronicle, Instant at) {
      this.task = task;
      this.chronicle = chronicle;
      this.at = at;
      this.jitter = task.definition().schedule().longestJitter();
      this.firstOfWindow = task.subTasks().get(0).index();
    }

    Surroundings surroundings() {
      long index = firstDueFrom(at.minus(jitter));
      if (index > 0) {
        before = kept(index - 1).filter(subTask -> subTask.index() == index - 1);
      }
      List<SubTask> page = page(index, PAGE);
      while (!page.isEmpty() && after.isEmpty()) {
        page.forEach(this::place);
        page = page(page.get(page.size() - 1).index() + 1, PAGE);
      }
      if (match.isEmpty()) {
        match = task.live().filter(live -> live.index() >= 0 && live.runAt().equals(at));
      }
      return new Surroundings(match, before, after);
    }

    private void place(SubTask subTask) {
      if (subTask.dueAt().equals(at)) {
        match = Optional.of(subTask);
      } else if (subTask.dueAt().isBefore(at)) {
        before = Optional.of(subTask);
        if (runsAt(subTask)) {
          match = Optional.of(subTask);
        }
      } else if (after.isEmpty()) {
        after = Optional.of(subTask);
      }
    }

    /** Later attempts have other times, so it is asked for the first one as well. */
    private boolean runsAt(SubTask subTask) {
      String key = SubTask.idempotencyKey(task.id(), subTask.index());
      Duration spread = task.definition().schedule().jitterFor(key);
      return subTask.runAt().equals(at) || subTask.dueAt().plus(spread).equals(at);
    }

    /** The index of the first kept one that is due then or later, or what comes after the last. */
    private long firstDueFrom(Instant earliest) {
      boolean isInWindow = task.subTasks().get(0).dueAt().isBefore(earliest);
      long tooEarly = isInWindow ? firstOfWindow : -1;
      long lateEnough = isInWindow ? firstOfWindow + task.subTasks().size() : firstOfWindow;
      while (lateEnough - tooEarly > 1) {
        long middle = (tooEarly + lateEnough) / 2;
        if (kept(middle).orElseThrow().dueAt().isBefore(earliest)) {
          tooEarly = middle;
        } else {
          lateEnough = middle;
        }
      }
      return lateEnough;
    }

    /** The first one that is kept of those with that index or a greater one. */
    private Optional<SubTask> kept(long index) {
      return page(index, 1).stream().findFirst();
    }

    /** What is in the window is taken from there, so that all belongs together. */
    private List<SubTask> page(long index, int limit) {
      if (index < firstOfWindow) {
        List<SubTask> archived =
            chronicle.from(index, limit).stream()
                .filter(subTask -> subTask.index() < firstOfWindow)
                .toList();
        if (!archived.isEmpty()) {
          return archived;
        }
      }
      return task.subTasks().stream()
          .filter(subTask -> subTask.index() >= index)
          .limit(limit)
          .toList();
    }
  }
}
