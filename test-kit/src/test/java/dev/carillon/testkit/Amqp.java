package dev.carillon.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.util.Map;
import java.util.Optional;

/** The few things these tests do over AMQP, each on a connection of its own. */
final class Amqp {

  private interface Work<T> {
    T on(Channel channel) throws Exception;
  }

  private Amqp() {}

  static void publishPersistent(String uri, String queue, String body) throws Exception {
    with(
        uri,
        channel -> {
          channel.queueDeclare(queue, true, false, false, Map.of("x-expires", 3_600_000));
          channel.confirmSelect();
          channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, body.getBytes(UTF_8));
          channel.waitForConfirmsOrDie(10_000);
          return null;
        });
  }

  static Optional<String> take(String uri, String queue) throws Exception {
    return with(
        uri,
        channel -> {
          GetResponse response = channel.basicGet(queue, true);
          return Optional.ofNullable(response).map(got -> new String(got.getBody(), UTF_8));
        });
  }

  private static <T> T with(String uri, Work<T> work) throws Exception {
    ConnectionFactory connections = new ConnectionFactory();
    connections.setUri(uri);
    try (Connection connection = connections.newConnection();
        Channel channel = connection.createChannel()) {
      return work.on(channel);
    }
  }
}
