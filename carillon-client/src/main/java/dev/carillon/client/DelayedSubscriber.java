package dev.carillon.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Receives messages from a queue and has each handled by the handler for its type. A message is
 * acknowledged after its handler has returned. When that throws, it is called again after a pause
 * that doubles each time; after the last attempt the message is put aside into the queue {@code
 * <queue>.parked}, with the reason in a header, and so are messages that nobody has a handler for
 * or that cannot be read. Messages are handled by several threads, in no particular order.
 *
 * <p>If the process dies, what it had not acknowledged is delivered again. The connection should
 * recover by itself, as the driver's do unless they are told otherwise. Thread-safe.
 */
public final class DelayedSubscriber implements AutoCloseable {

  private final Receiving receiving;

  private DelayedSubscriber(Receiving receiving) {
    this.receiving = receiving;
  }

  /**
   * Begins a subscriber.
   *
   * @param connection stays open when the subscriber is closed
   * @param queue which must be there
   */
  public static Builder on(Connection connection, String queue) {
    return new Builder(connection, queue);
  }

  /**
   * Receives nothing more, and lets handlers that have begun come to their end for a moment. What
   * was not handled is delivered again to others. Idempotent.
   */
  @Override
  public void close() {
    receiving.close();
  }

  /** How a subscriber is put together. Not thread-safe. */
  public static final class Builder {

    private final Connection connection;
    private final String queue;
    private final Map<String, TypedHandler<?>> handlers = new HashMap<>();
    private ObjectMapper mapper = new ObjectMapper();
    private int concurrency = 4;
    private int maxAttempts = 5;
    private Duration firstPause = Duration.ofSeconds(1);

    private Builder(Connection connection, String queue) {
      this.connection = Objects.requireNonNull(connection, "connection");
      this.queue = Objects.requireNonNull(queue, "queue");
    }

    /** Reads payloads with this in place of a plain one. */
    public Builder mapper(ObjectMapper chosen) {
      this.mapper = chosen;
      return this;
    }

    /** How many messages are handled at a time; 4 if it is not set. */
    public Builder concurrency(int threads) {
      this.concurrency = threads;
      return this;
    }

    /**
     * How often a message is tried before it is put aside; five times, the second one a second
     * after the first, if it is not set. All of it must take less than the broker's delivery
     * timeout, which is half an hour.
     *
     * @param pause before the second attempt; it doubles with each further one
     */
    public Builder retry(int attempts, Duration pause) {
      if (attempts < 1 || pause.isNegative()) {
        throw new IllegalArgumentException("there must be an attempt, and no negative pause");
      }
      this.maxAttempts = attempts;
      this.firstPause = pause;
      return this;
    }

    /** Has messages handled whose type is the simple name of a class. */
    public <T> Builder handle(Class<T> payload, MessageHandler<T> handler) {
      return handle(DelayedMessage.typeOf(payload), payload, handler);
    }

    /** Has messages of a type handled. */
    public <T> Builder handle(String type, Class<T> payload, MessageHandler<T> handler) {
      if (handlers.putIfAbsent(type, new TypedHandler<>(payload, handler)) != null) {
        throw new IllegalArgumentException("there is a handler for " + type + " already");
      }
      return this;
    }

    /**
     * Begins to receive.
     *
     * @throws IOException when the broker does not let this subscriber receive
     */
    public DelayedSubscriber start() throws IOException {
      Channel receive = open();
      Channel park = open();
      Parking parking = new Parking(park, queue + ".parked");
      parking.declare();
      Receiving receiving =
          new Receiving(
              receive,
              new Handling(handlers, mapper),
              parking,
              new Receiving.Settings(queue, concurrency, maxAttempts, firstPause));
      receiving.start();
      return new DelayedSubscriber(receiving);
    }

    private Channel open() throws IOException {
      return connection.openChannel().orElseThrow(() -> new IOException("no channel is left"));
    }
  }
}
