package dev.carillon.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.net.URI;
import java.util.Map;

/** A plain connection to a broker, for looking at what the adapter does there. */
final class RawBroker implements AutoCloseable {

  private final Connection connection;
  private Channel channel;

  RawBroker(URI uri) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(uri);
    factory.setAutomaticRecoveryEnabled(false);
    connection = factory.newConnection("test");
    channel = connection.createChannel();
  }

  /** A channel that is open; each failed question costs one. */
  Channel channel() throws Exception {
    if (!channel.isOpen()) {
      channel = connection.createChannel();
    }
    return channel;
  }

  boolean hasQueue(String queue) throws Exception {
    try (Channel asking = connection.createChannel()) {
      asking.queueDeclarePassive(queue);
      return true;
    } catch (IOException missing) {
      return false;
    }
  }

  /** Takes a message out of a queue; null when there is none. */
  GetResponse take(String queue) throws Exception {
    return channel().basicGet(queue, true);
  }

  void declareQueue(String queue, Map<String, Object> arguments) throws Exception {
    channel().queueDeclare(queue, true, false, false, arguments);
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
