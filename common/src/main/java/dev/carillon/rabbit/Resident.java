package dev.carillon.rabbit;

import com.rabbitmq.client.Connection;
import java.io.IOException;

/**
 * Something that lives on a {@link RabbitConnection}, such as channels, and is kept alive by it.
 */
interface Resident {

  /**
   * Opens whatever it lacks. Called when there is a new connection, and again whenever something
   * was lost; idempotent. Runs on the supervisor's thread only.
   *
   * @throws IOException when that does not work; it is called again a little later
   */
  void restore(Connection connection) throws IOException;

  /** Nothing can be done from now until the next {@link #restore}. Returns at once. */
  void suspend(String reason);
}
