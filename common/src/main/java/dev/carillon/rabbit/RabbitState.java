package dev.carillon.rabbit;

import java.util.Objects;

/** Whether the broker can be used now. Its text is for people. */
public sealed interface RabbitState {

  /** All is well. */
  record Connected() implements RabbitState {
    @Override
    public String toString() {
      return "connected";
    }
  }

  /** Connected, but the broker takes no messages for now, because it is short of something. */
  record Blocked(String reason) implements RabbitState {

    public Blocked {
      Objects.requireNonNull(reason, "reason");
    }

    @Override
    public String toString() {
      return "blocked: " + reason;
    }
  }

  /** Not usable; it is tried again all the time. */
  record NotConnected(String reason) implements RabbitState {

    public NotConnected {
      Objects.requireNonNull(reason, "reason");
    }

    @Override
    public String toString() {
      return "not connected: " + reason;
    }
  }

  default boolean isConnected() {
    return this instanceof Connected;
  }
}
