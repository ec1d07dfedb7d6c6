package dev.carillon.store;

import dev.carillon.queue.Notice;
import dev.carillon.task.Claim;
import dev.carillon.task.Lease;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

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
public interface TaskStore extends Permits {

  /**
   * Adds a new task. An id that is there already means that this was a repetition.
   *
   * @return whether it was not there yet
   */
  boolean insert(Task task);

  /**
   * Adds new tasks.
   *
   * @return for each whether it was not there yet
   */
  default List<Boolean> insert(Collection<Task> tasks) {
    return tasks.stream().map(this::insert).toList();
  }

  /** What a key stands for; empty when that is nothing, or its life is over. */
  Optional<KeyedCreation> findKeyed(String key, Instant now);

  /**
   * Has a key stand for a creation, unless it stands for one already. All who want the same key get
   * the same answer, whichever of them come first.
   *
   * @return what the key stands for now: the creation that was wanted, or an earlier one
   */
  KeyedCreation takeKey(KeyedCreation wanted);

  /** {@link #takeKey} for many, whose keys may be the same. */
  default List<KeyedCreation> takeKeys(Collection<KeyedCreation> wanted) {
    return wanted.stream().map(this::takeKey).toList();
  }

  /**
   * Takes the right to run attempts: for each notice, if its arming is still the task's latest and
   * nobody has claimed it, the task becomes {@link dev.carillon.task.Chain#start started}, unless
   * more has to change in it.
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
   * Exchanges tasks for their next values, each unless somebody was faster. Finished sub-tasks that
   * the next value has left behind go to the archive, in place of what the archive has of them.
   *
   * <p>Leases belong to their holders. An exchange that leaves a claim as it is leaves its lease as
   * it is, even if it has been extended since {@code before} was read. An exchange that ends a
   * claim after its lease had ended comes too late if the lease has been extended after all.
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

    /** The leases, as they were read, of claims that were ended after them. */
    public List<Lease> endedAfterTheirTime() {
      return before.leases().stream()
          .filter(lease -> !after.isHeldBy(lease.claim()))
          .filter(lease -> !lease.until().isAfter(after.updatedAt()))
          .toList();
    }

    /** The sub-tasks that go to the archive, as they were before. */
    public List<SubTask> leftBehind() {
      long start = after.subTasks().get(0).index();
      return Stream.concat(before.subTasks().stream(), before.extras().subTasks().stream())
          .filter(subTask -> subTask.index() < start && subTask.status().isFinished())
          .filter(subTask -> after.subTask(subTask.index()).isEmpty())
          .toList();
    }
  }

  /**
   * Extends the leases of claims that still hold. When their tasks are to be looked after stays as
   * it is: whoever looks then finds that the lease goes on.
   *
   * @return for each whether it still holds
   */
  List<Boolean> extend(Collection<Claim> claims, Instant leaseUntil);

  /** Tasks that somebody has to look after by now, the most urgent first. */
  List<Task> overdue(Instant now, int limit);

  /** Tasks that wait in line for a concurrency key, those that have waited longest first. */
  List<Task> inLine(String key, int limit);

  /** The task as it is. */
  Optional<Task> find(TaskId id);

  /**
   * Removes a task that cannot be read, so that nothing comes across it any more. Idempotent. A
   * store that can read whatever it holds has nothing to do.
   *
   * @return whether there was such a task; false for one that can be read
   */
  default boolean discardUnreadable(TaskId id) {
    return false;
  }

  /** Those of the tasks that there are, by their ids. */
  default Map<TaskId, Task> findAll(Collection<TaskId> ids) {
    Map<TaskId, Task> found = new HashMap<>();
    ids.forEach(id -> find(id).ifPresent(task -> found.put(id, task)));
    return found;
  }

  /** Tasks that fit, the newest first, and which have been left out as they cannot be read. */
  TaskListing listing(TaskQuery query);

  /** As {@link #listing}, for who can do nothing about what cannot be read. */
  default List<Task> list(TaskQuery query) {
    return listing(query).tasks();
  }

  /**
   * Sub-tasks of a task that fit, by index, from the archive and the task. Empty for an unknown
   * task.
   */
  List<SubTask> subTasks(TaskId id, SubTaskQuery query);

  /**
   * A sub-task in a task's archive, any if there are several, that was made by a request with the
   * given key. Those that the task has itself are not looked at.
   *
   * @param takenAfter only requests that were taken after this instant
   */
  Optional<SubTask> findRequested(TaskId id, String key, Instant takenAfter);

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
