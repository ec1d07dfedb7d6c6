package dev.carillon.inprocess;

import dev.carillon.queue.GivenUp;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkedListing;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.queue.ParkedMessages;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * What was put aside in this process; lost with it. There are no messages here that are not
 * notices, so all of it is word of sub-tasks. Memory is bounded by {@link #REACH}. Thread-safe.
 */
public final class InProcessParkedMessages implements ParkedMessages {

  private final InstantSource clock;
  private final Map<String, ParkedMessage> byId = new LinkedHashMap<>();

  public InProcessParkedMessages(InstantSource clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  @Override
  public synchronized ParkAnswer park(GivenUp givenUp) {
    if (byId.size() >= REACH) {
      return new ParkAnswer.NotParked("full: " + REACH + " messages have been put aside already");
    }
    String id = UUID.randomUUID().toString();
    ParkedMessage message =
        new ParkedMessage(
            id,
            givenUp.reason(),
            "",
            "",
            Optional.of(clock.instant()),
            Optional.of(givenUp.task()),
            OptionalLong.of(givenUp.index()),
            0,
            "");
    byId.put(id, message);
    return new ParkAnswer.Parked();
  }

  @Override
  public synchronized ParkedListing look(int limit) {
    List<ParkedMessage> messages = byId.values().stream().limit(limit).toList();
    return new ParkedListing(messages, byId.size() - messages.size(), 0);
  }

  @Override
  public synchronized RetryAnswer retry(String id) {
    return byId.containsKey(id) ? RetryAnswer.GIVEN_UP : RetryAnswer.UNKNOWN;
  }

  @Override
  public synchronized boolean drop(String id) {
    return byId.remove(id) != null;
  }
}
