package dev.carillon.rabbit;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.carillon.queue.IncomingMessages;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Where publishers send messages that are to be delivered later: for each target exchange an
 * exchange and a queue of the same name. Messages keep their routing keys, which mean nothing here.
 *
 * <p>Of all processes that take messages from a queue, one at a time gets them, in their order, so
 * that a message which cancels another does not overtake it. Thread-safe.
 */
public final class RabbitIngress implements AutoCloseable {

  private final Topology topology;
  private final RabbitConnection connection;
  private final List<IngressConsumer> consumers;

  /**
   * Does not connect yet.
   *
   * @param aside where messages are put that nobody can deal with
   */
  RabbitIngress(
      RabbitSettings settings,
      Topology topology,
      Aside aside,
      List<String> targets,
      IncomingMessages taker) {
    this.topology = topology;
    this.connection = new RabbitConnection(settings, "ingress");
    this.consumers =
        targets.stream()
            .map(
                target ->
                    new IngressConsumer(connection, target, topology.ingress(target), taker, aside))
            .toList();
    connection.add(new Declared());
    consumers.forEach(connection::add);
  }

  /** Begins to connect, in the background, and takes messages from then on. To be called once. */
  public void start() {
    consumers.forEach(IngressConsumer::start);
    connection.start();
  }

  /** Whether messages can arrive from all of the queues, be it here or at another process. */
  public boolean isActive() {
    return consumers.stream().allMatch(IngressConsumer::isActive);
  }

  /**
   * Lets what is being taken in come to its end for a moment, and disconnects. What was not taken
   * in goes to others. Idempotent.
   */
  @Override
  public void close() {
    consumers.forEach(IngressConsumer::close);
    connection.close();
  }

  /** The exchanges and queues. */
  private final class Declared implements Resident {

    @Override
    public void restore(Connection open) throws IOException {
      Channel channel = open.openChannel().orElseThrow(() -> new IOException("no channel is left"));
      try {
        Map<String, Object> arguments =
            Map.of(
                "x-queue-type",
                QueueType.QUORUM.argument(),
                "x-single-active-consumer",
                true,
                "x-delivery-limit",
                Topology.PARKED_DELIVERY_LIMIT,
                // for messages that expire before they are taken in
                "x-dead-letter-exchange",
                "",
                "x-dead-letter-routing-key",
                topology.parkedQueue(),
                "x-dead-letter-strategy",
                "at-least-once",
                "x-overflow",
                "reject-publish");
        for (IngressConsumer consumer : consumers) {
          String name = consumer.queue();
          channel.exchangeDeclare(name, BuiltinExchangeType.FANOUT, true);
          channel.queueDeclare(name, true, false, false, arguments);
          channel.queueBind(name, name, "");
        }
      } finally {
        channel.abort();
      }
    }

    @Override
    public void suspend(String reason) {
      // nothing of it lives on the connection
    }
  }
}
