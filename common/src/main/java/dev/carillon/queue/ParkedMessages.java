package dev.carillon.queue;

import java.util.List;

/**
 * What nobody could deal with, put aside for people to look at: messages in the work queue that are
 * not notices, which adapters put here by themselves, and word of sub-tasks that were given up.
 * Thread-safe.
 *
 * <p>Up to {@link #REACH} messages, or fewer if they are very large, are within reach at a time. If
 * there are more, others come within reach when some are gone, and with time.
 */
public interface ParkedMessages {

  /** How many messages are looked at. */
  int REACH = 1_000;

  /** Nothing more is looked at once the bodies of what was have so many bytes together. */
  long REACH_BYTES = 32L << 20;

  /** What became of a wish to send a message back. */
  enum RetryAnswer {
    /**
     * It is in the work queue again. If it still cannot be read, it comes back under another id.
     */
    SENT_BACK,
    /** There is no such message within reach. */
    UNKNOWN,
    /**
     * It is word of a sub-task that was given up: there is nothing that could be sent, but it can
     * be run again by its task. The message stays.
     */
    GIVEN_UP
  }

  /** Puts word of a sub-task aside. Never throws for what a broker may do. */
  ParkAnswer park(GivenUp givenUp);

  /**
   * The messages within reach, the oldest first, and how many there are besides.
   *
   * @param limit at most so many
   * @throws BrokerAwayException when they cannot be looked at now
   * @throws ParkedBusyException when too many do so
   */
  ParkedListing look(int limit);

  /** As {@link #look}, for who need not know whether there are others. */
  default List<ParkedMessage> list(int limit) {
    return look(limit).messages();
  }

  /**
   * Sends a message back to the work queue and takes it away from here. If the process dies in
   * between, it is in both.
   *
   * @throws BrokerAwayException when that cannot be done now; it may have been done all the same
   * @throws ParkedBusyException when too many look at the messages; it has not been done
   */
  RetryAnswer retry(String id);

  /**
   * Throws a message away.
   *
   * @return whether it was there, within reach
   * @throws BrokerAwayException when that cannot be done now; it may have been done all the same
   * @throws ParkedBusyException when too many look at the messages; it has not been done
   */
  boolean drop(String id);
}
