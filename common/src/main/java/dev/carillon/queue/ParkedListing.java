package dev.carillon.queue;

import java.util.List;

/**
 * Some of the messages that were put aside, and how many there are besides.
 *
 * @param messages the oldest first
 * @param others how many more there are
 * @param beyondReach how many of the others were not even looked at, since the ones before them are
 *     too many or too large
 */
public record ParkedListing(List<ParkedMessage> messages, long others, long beyondReach) {

  public ParkedListing {
    messages = List.copyOf(messages);
    if (beyondReach < 0 || others < beyondReach) {
      throw new IllegalArgumentException(
          "of " + others + " others, " + beyondReach + " cannot be beyond reach");
    }
  }

  /** How many there are in all. */
  public long total() {
    return messages.size() + others;
  }
}
