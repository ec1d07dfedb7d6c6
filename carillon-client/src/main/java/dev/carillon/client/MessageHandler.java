package dev.carillon.client;

/**
 * Deals with messages of one type. It is called by several threads, and more than once for the same
 * message if the process dies or a call fails.
 *
 * @param <T> what the payload is read as
 */
@FunctionalInterface
public interface MessageHandler<T> {

  /**
   * Deals with a message, which is acknowledged when this returns.
   *
   * @throws Exception to be called with it again after a pause, or to have it put aside after the
   *     last attempt
   */
  void handle(T payload, ReceivedMessage message) throws Exception;
}
