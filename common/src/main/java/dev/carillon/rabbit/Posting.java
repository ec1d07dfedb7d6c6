package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** A message on its way out, persistent, and returned if no queue takes it. */
final class Posting {

  static final int PERSISTENT = 2;

  private final String exchange;
  private final String routingKey;
  private final AMQP.BasicProperties properties;
  private final byte[] body;
  private final Optional<Map<String, Object>> newQueue;

  private Posting(
      String exchange,
      String routingKey,
      AMQP.BasicProperties properties,
      byte[] body,
      Optional<Map<String, Object>> newQueue) {
    this.exchange = exchange;
    this.routingKey = routingKey;
    this.properties = properties.builder().deliveryMode(PERSISTENT).build();
    this.body = body;
    this.newQueue = newQueue;
  }

  /** A message for whatever queues the exchange leads to. */
  static Posting to(
      String exchange, String routingKey, AMQP.BasicProperties properties, byte[] body) {
    return new Posting(exchange, routingKey, properties, body, Optional.empty());
  }

  /** A message for a durable queue that is declared for it with the given arguments. */
  static Posting toNewQueue(
      String queue, Map<String, Object> arguments, AMQP.BasicProperties properties, byte[] body) {
    return new Posting("", queue, properties, body, Optional.of(arguments));
  }

  /** What a message that is returned is known by: others may be called the same. */
  String address() {
    return address(exchange, routingKey, properties);
  }

  static String address(String exchange, String routingKey, AMQP.BasicProperties properties) {
    return properties.getMessageId() + "\n" + exchange + "\n" + routingKey;
  }

  /** Sends it without waiting for anything. */
  void send(Channel channel) throws IOException {
    if (newQueue.isPresent()) {
      channel.queueDeclareNoWait(routingKey, true, false, false, newQueue.get());
    }
    channel.basicPublish(exchange, routingKey, true, properties, body);
  }
}
