package dev.carillon.store;

import dev.carillon.queue.Notice;
import dev.carillon.task.Claim;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Durable state of tasks. Every write is atomic for one task and has survived the loss of a
 * minority of servers when it returns. Thread-safe.
 *
 * <p>Losing a race is an answer. When the store cannot be reached, its driver's exception comes
 * out, soon and not after minutes; the write may have happened then. Every write may be repeated:
 * the second has no effect, and its answer says so.
 *
 * <p>The operations of the chain take collections, which are carried out in few round trips. The
 * elements are independent of each other, and there is an answer for each, in their order.
 */
public interface TaskStore {

  /**
   * Adds a new task. An id that is there already means that this was a repetition.
   *
   * @return whether it was not there yet
   */
  boolean insert(Task task);

  /** What a key stands for; empty when that is nothing, or its life is over. */
  Optional<KeyedCreation> findKeyed(String key, Instant now);

  /**
   * Has a key stand for a creation, unless it stands for one already. All who want the same key get
   * the same answer, whichever of them come first.
   *
   * @return what the key stands for now: the creation that was wanted, or an earlier one
   */
  KeyedCreation takeKey(KeyedCreation wanted);

  /**
   * Takes the right to run attempts: for each notice, if its arming is still the task's latest and
   * nobody has claimed it, the task becomes {@link dev.carillon.task.Chain#start started}.
   *
   * @param claims one for each notice
   * @param now start of the attempts; not before any notice's {@code runAt}
   * @param lease how long the claims hold unless they are extended
   */
  List<ClaimAnswer> claim(Collection<ClaimRequest> claims, Instant now, Duration lease);

  /**
   * A wish to run an attempt.
   *
   * @param claimId unique to this act of claiming
   */
  record ClaimRequest(Notice notice, String worker, String claimId) {

    /** The claim as it is if the request succeeds. */
    public Claim claim() {
      return new Claim(notice.task(), notice.token(), worker, claimId);
    }
  }

  /**
   * Exchanges tasks for their next values, each unless somebody was faster. Sub-tasks that the next
   * value's window has left behind go to the archive.
   *
   * <p>Leases belong to their holders. An exchange that leaves a claim as it is leaves its lease as
   * it is, even if it has been extended since {@code before} was read. An exchange made after the
   * lease had ended comes too late if the lease has been extended after all.
   *
   * @return for each whether it was exchanged; if not, {@code before} was no longer current (or the
   *     exchange is a repetition)
   */
  List<Boolean> exchange(Collection<Exchange> exchanges);

  /** An exchange of a task that was read for the one that was made from it. */
  record Exchange(Task before, Task after) {

    public Exchange {
      if (!before.id().equals(after.id()) || after.version() != before.version() + 1) {
        throw new IllegalArgumentException(
            "not the next version of " + before.id() + ": " + after.version());
      }
    }

    /** Whether a claim goes on as it is. */
    public boolean keepsClaim() {
      return before.claim().isPresent() && before.claim().equals(after.claim());
    }

    /** Whether it was made when the lease of a claim, as it was read, had ended. */
    public boolean isAfterLease() {
      return before.claim().isPresent()
          && before.wakeAt().filter(end -> !end.isAfter(after.updatedAt())).isPresent();
    }

    /** The sub-tasks that go to the archive. */
    public List<SubTask> leftBehind() {
      long start = after.subTasks().get(0).index();
      return before.subTasks().stream().filter(subTask -> subTask.index() < start).toList();
    }
  }

  /**
   * Extends the leases of claims that still hold.
   *
   * @return for each whether it still holds
   */
  List<Boolean> extend(Collection<Claim> claims, Instant leaseUntil);

  /** Tasks that somebody has to look after by now, the most urgent first. */
  List<Task> overdue(Instant now, int limit);

  /** The task as it is. */
  Optional<Task> find(TaskId id);

  /** Tasks that fit, the newest first. */
  List<Task> list(TaskQuery query);

  /** Sub-tasks of a task that fit, by index, from archive and window. Empty for an unknown task. */
  List<SubTask> subTasks(TaskId id, SubTaskQuery query);

  /**
   * Removes archived sub-tasks that ended before the given instant, at most {@code limit} of them.
   *
   * @return how many were removed
   */
  int purgeArchive(Instant endedBefore, int limit);

  /**
   * Forgets keys that were taken before the given instant, at most {@code limit} of them.
   *
   * @return how many were forgotten
   */
  int purgeKeys(Instant takenBefore, int limit);

  /** The store's present, by its own clock; also shows that it can be reached. */
  Instant now();
}
