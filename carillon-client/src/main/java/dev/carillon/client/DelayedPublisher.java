package dev.carillon.client;

import java.util.Collection;
import java.util.List;

/**
 * Hands messages over to Carillon. Thread-safe.
 *
 * <p>When a call returns, the messages are safe. When it throws, it is not known whether they are:
 * the same values can be published again without harm, since they have message ids.
 */
public interface DelayedPublisher extends AutoCloseable {

  /** A message was not taken, or nobody knows. */
  final class NotPublishedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NotPublishedException(String message) {
      super(message);
    }

    public NotPublishedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Publishes in the order given.
   *
   * @throws NotPublishedException when Carillon does not take them, or does not answer in time
   * @throws IllegalArgumentException when a message cannot be written as JSON
   */
  void publish(Collection<DelayedMessage> messages);

  /** {@link #publish(Collection)} for one. */
  default void publish(DelayedMessage message) {
    publish(List.of(message));
  }

  /**
   * Has a message not be delivered any more, if it has not been yet. It does not matter whether
   * there is one.
   *
   * @param exchange where it was to go in the end
   * @param key the message's own
   * @throws NotPublishedException when Carillon does not take it, or does not answer in time
   */
  void cancel(String exchange, String key);

  /** Idempotent. */
  @Override
  void close();
}
