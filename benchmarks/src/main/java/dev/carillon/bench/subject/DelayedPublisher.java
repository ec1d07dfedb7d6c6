package dev.carillon.bench.subject;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeoutException;

/**
 * Publishes persistent messages that Carillon is to deliver a day later, with confirms, as an
 * application would that sends many. Not thread-safe.
 */
public final class DelayedPublisher implements AutoCloseable {

  private static final int CONFIRMED_TOGETHER = 500;
  private static final Duration LATER = Duration.ofDays(1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int PERSISTENT = 2;

  private final Connection connection;
  private final Channel channel;
  private final String exchange;
  private final byte[] body;

  DelayedPublisher(String uri, String exchange, int bodyBytes) {
    this.exchange = exchange;
    this.body = "x".repeat(bodyBytes).getBytes(StandardCharsets.UTF_8);
    try {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setUri(uri);
      this.connection = factory.newConnection("bench publisher");
      this.channel = connection.createChannel();
      channel.confirmSelect();
    } catch (Exception e) {
      throw new IllegalStateException("cannot publish to " + exchange, e);
    }
  }

  /**
   * Returns when the broker has all of them.
   *
   * @param name unlike that of other messages published here
   * @param keys how many different keys they have, by turns; without one if empty
   */
  public void publish(String name, int count, OptionalInt keys) {
    try {
      for (int i = 0; i < count; i++) {
        Map<String, Object> headers = new HashMap<>();
        headers.put("x-delay", LATER.toMillis());
        if (keys.isPresent()) {
          headers.put("x-carillon-key", name.replaceAll("[^a-z]", "-") + i % keys.getAsInt());
        }
        BasicProperties properties =
            new BasicProperties.Builder()
                .messageId(name + "-" + i)
                .contentType("text/plain")
                .deliveryMode(PERSISTENT)
                .headers(headers)
                .build();
        channel.basicPublish(exchange, "orders.close", properties, body);
        if (i % CONFIRMED_TOGETHER == CONFIRMED_TOGETHER - 1) {
          channel.waitForConfirmsOrDie(PATIENCE.toMillis());
        }
      }
      channel.waitForConfirmsOrDie(PATIENCE.toMillis());
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException("the broker does not take what is published", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while publishing", e);
    }
  }

  @Override
  public void close() {
    connection.abort();
  }
}
