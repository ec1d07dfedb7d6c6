package dev.carillon.store;

import dev.carillon.queue.Notice;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.task.Claim;
import dev.carillon.task.Origin;
import dev.carillon.task.SubTask;
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

    /** What is to be run. */
    public SubTask subTask() {
      return task.lease(claim).flatMap(lease -> task.subTask(lease.index())).orElseThrow();
    }
  }

  /**
   * Nothing stands in the way of the attempt, but more than its claim changes in the task when it
   * starts: whoever wants to run it exchanges the task for what {@link
   * dev.carillon.task.Chain#begin} makes of it.
   *
   * @param task as it is now
   */
  record Open(Task task) implements ClaimAnswer {

    public Open {
      Objects.requireNonNull(task, "task");
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

  /** The attempt is not to start: its task is unknown, paused, finished or canceled. */
  record Gone() implements ClaimAnswer {}

  /**
   * The claim was taken, but its task has been paused or canceled before this answer: the attempt
   * is not to start, and the claim to be ended with {@link dev.carillon.task.Outcome.Withdrawn}.
   *
   * @param held what would have started
   */
  record Withdrawn(Won held) implements ClaimAnswer {

    public Withdrawn {
      Objects.requireNonNull(held, "held");
    }
  }

  /**
   * What the state of a task says to a notice, before anything is done for it. Empty when the claim
   * is all that is needed, and nothing stands in its way.
   */
  static Optional<ClaimAnswer> beforeClaim(ClaimRequest request, Optional<Task> found) {
    if (found.isEmpty()) {
      return Optional.of(new Gone());
    }
    Task task = found.get();
    if (task.isHeldBy(request.claim())) {
      return Optional.of(toItsHolder(new Won(task, request.claim())));
    }
    if (task.status().isFinal()) {
      return Optional.of(new Gone());
    }
    Notice notice = request.notice();
    boolean isActive = task.status() == TaskStatus.ACTIVE;
    if (task.leases().stream().anyMatch(lease -> lease.claim().token() == notice.token())) {
      return Optional.of(new Held());
    }
    if (task.token() != notice.token()) {
      return Optional.of(isActive ? new Passed(task) : new Gone());
    }
    if (task.next().filter(next -> next.index() == notice.index()).isEmpty()) {
      boolean isNoRoom = isActive && !task.leases().isEmpty();
      return Optional.of(isNoRoom ? new Held() : isActive ? new Passed(task) : new Gone());
    }
    return task.isStartedByClaim(notice.index()) ? Optional.empty() : Optional.of(new Open(task));
  }

  /** To whoever has the claim, and has not begun what it is for. */
  private static ClaimAnswer toItsHolder(Won held) {
    TaskStatus status = held.task().status();
    boolean mayStart =
        status == TaskStatus.ACTIVE
            || (status == TaskStatus.PAUSED && held.subTask().origin() == Origin.TRIGGER);
    return mayStart ? held : new Withdrawn(held);
  }
}
