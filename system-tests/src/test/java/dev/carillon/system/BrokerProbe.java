package dev.carillon.system;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** Looks at queues from outside, by nothing but AMQP, so that it works on any broker. */
final class BrokerProbe implements AutoCloseable {

  private final Connection connection;

  BrokerProbe(String uri) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(uri);
    connection = factory.newConnection("probe");
  }

  boolean exists(String queue) throws IOException {
    return closingReply(channel -> channel.queueDeclarePassive(queue)).isEmpty();
  }

  /** The broker's complaint about declaring the queue with these arguments; empty if it agrees. */
  Optional<String> complaintAbout(String queue, Map<String, Object> arguments) throws IOException {
    return closingReply(channel -> channel.queueDeclare(queue, true, false, false, arguments));
  }

  /** Looks at the message that waits in a queue and leaves it there. */
  AMQP.BasicProperties peek(String queue) throws IOException {
    Channel channel = connection.createChannel();
    GetResponse message = channel.basicGet(queue, false);
    if (message == null) {
      throw new AssertionError("no message waits in " + queue);
    }
    channel.basicNack(message.getEnvelope().getDeliveryTag(), false, true);
    return message.getProps();
  }

  /** Puts a message into a queue. */
  void send(String queue, String text) throws IOException {
    Channel channel = connection.createChannel();
    channel.basicPublish("", queue, null, text.getBytes(StandardCharsets.UTF_8));
    channel.abort();
  }

  private interface Call {
    void on(Channel channel) throws IOException;
  }

  private Optional<String> closingReply(Call call) throws IOException {
    Channel channel = connection.createChannel();
    try {
      call.on(channel);
      channel.abort();
      return Optional.empty();
    } catch (IOException refused) {
      if (refused.getCause() instanceof ShutdownSignalException signal
          && signal.getReason() instanceof AMQP.Channel.Close close) {
        return Optional.of(close.getReplyText());
      }
      throw refused;
    }
  }

  @Override
  public void close() throws IOException {
    connection.abort();
  }
}
