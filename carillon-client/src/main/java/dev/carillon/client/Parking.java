package dev.carillon.client;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** Puts messages aside, into a queue. Thread-safe: one thread at a time uses the channel. */
final class Parking {

  static final String REASON = "x-reason";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int PERSISTENT = 2;

  private final Channel channel;
  private final String queue;

  Parking(Channel channel, String queue) {
    this.channel = channel;
    this.queue = queue;
  }

  void declare() throws IOException {
    channel.queueDeclare(queue, true, false, false, Map.of());
    channel.confirmSelect();
  }

  /** Returns when the message is safe there. */
  synchronized void park(Delivery message, String reason)
      throws IOException, TimeoutException, InterruptedException {
    Map<String, Object> headers = new HashMap<>();
    AMQP.BasicProperties original = message.getProperties();
    if (original.getHeaders() != null) {
      headers.putAll(original.getHeaders());
    }
    headers.put(REASON, reason);
    headers.put("x-exchange", message.getEnvelope().getExchange());
    headers.put("x-routing-key", message.getEnvelope().getRoutingKey());
    AMQP.BasicProperties properties =
        original
            .builder()
            .headers(headers)
            .deliveryMode(PERSISTENT)
            .expiration(null)
            .userId(null)
            .build();
    channel.basicPublish("", queue, true, properties, message.getBody());
    channel.waitForConfirmsOrDie(PATIENCE.toMillis());
  }

  void close() throws IOException {
    channel.abort();
  }
}
