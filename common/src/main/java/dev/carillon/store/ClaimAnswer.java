package dev.carillon.store;

import dev.carillon.queue.Notice;
import dev.carillon.task.Claim;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.util.Objects;
import java.util.Optional;

/** What became of a wish to run an attempt. */
public sealed interface ClaimAnswer {

  /**
   * The attempt may start.
   *
   * @param task as it is now, with the claim
   */
  record Won(Task task, Claim claim) implements ClaimAnswer {

    public Won {
      if (!task.isHeldBy(claim)) {
        throw new IllegalArgumentException("the task is not held by " + claim);
      }
    }
  }

  /** Somebody runs it; they, or after the end of their lease a sweeper, will see to it. */
  record Held() implements ClaimAnswer {}

  /**
   * The chain has moved on; the notice is a duplicate.
   *
   * @param task as it is now
   */
  record Passed(Task task) implements ClaimAnswer {

    public Passed {
      Objects.requireNonNull(task, "task");
    }
  }

  /** Nothing of the task is to start: it is unknown, paused, finished or canceled. */
  record Gone() implements ClaimAnswer {}

  /**
   * What the state of a task says to a notice that did not get its claim. Empty when nothing stands
   * in its way, so that claiming may be tried again.
   */
  static Optional<ClaimAnswer> refusing(Notice notice, Optional<Task> found) {
    if (found.isEmpty() || found.get().status() != TaskStatus.ACTIVE) {
      return Optional.of(new Gone());
    }
    Task task = found.get();
    if (task.token() != notice.token()) {
      return Optional.of(new Passed(task));
    }
    return task.claim().isPresent() ? Optional.of(new Held()) : Optional.empty();
  }
}
