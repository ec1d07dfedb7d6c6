package dev.carillon.queue;

import dev.carillon.task.Parking;
import java.util.Collection;
import java.util.List;

/**
 * "Wake me at": holds notices until shortly before they are due and then hands them to the {@link
 * WorkQueue}. Thread-safe.
 */
public interface PendingQueues extends Parking, AutoCloseable {

  /**
   * Parks notices and returns when each is safe or known not to be. One that is due already goes to
   * the work queue at once. Parking the same notice again is harmless.
   *
   * <p>Never throws for what a broker may do: a notice that is not parked is an answer.
   *
   * @return an answer for each notice, in their order
   */
  List<ParkAnswer> park(Collection<Notice> notices);

  /**
   * Takes pending queues away, with what is in them. Queues that are not there are no matter; nor
   * are those that notices share, which stay: what is in them dies at its claim. Does not wait, and
   * never throws for what a broker may do: a queue that is left over ends by itself.
   */
  void remove(Collection<String> queues);

  /** Whether notices are kept in the memory of this process, and not by a broker. */
  default boolean isInProcess() {
    return false;
  }

  /** Whether parking can be expected to succeed now. */
  boolean isAvailable();

  /** Idempotent. */
  @Override
  void close();
}
