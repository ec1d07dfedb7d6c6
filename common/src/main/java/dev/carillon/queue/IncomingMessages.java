package dev.carillon.queue;

import java.util.List;

/** Takes in messages that publishers want delivered later. Thread-safe. */
@FunctionalInterface
public interface IncomingMessages {

  /**
   * Deals with messages in the order in which they were published, and answers each of them.
   *
   * @throws RuntimeException when that cannot be done now: those that are not answered are to be
   *     brought again later, before any that come after them
   */
  void take(List<IncomingMessage> messages);
}
