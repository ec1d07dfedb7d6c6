package dev.carillon.flow;

import dev.carillon.task.Action;
import java.util.Optional;

/** What the publisher of a message wants. */
sealed interface MessageWish {

  /** The key by which the publisher will speak of it again. */
  Optional<String> key();

  /** By which the message is known when it comes again. */
  Optional<String> messageId();

  /**
   * The message is to be delivered.
   *
   * @param message as it is to be, without the headers that say when
   */
  record Deliver(Action.Amqp message, DueTime due, Optional<String> key, Optional<String> messageId)
      implements MessageWish {}

  /** What waits under the key is not to be delivered. */
  record Cancel(String name, Optional<String> messageId) implements MessageWish {
    @Override
    public Optional<String> key() {
      return Optional.of(name);
    }
  }

  /** It makes no sense. */
  record Unreadable(String reason) implements MessageWish {
    @Override
    public Optional<String> messageId() {
      return Optional.empty();
    }

    @Override
    public Optional<String> key() {
      return Optional.empty();
    }
  }
}
