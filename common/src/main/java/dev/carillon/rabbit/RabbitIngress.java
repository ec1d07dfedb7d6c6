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

  /**
   * How often the broker delivers a message before it puts it aside. What the store refuses is kept
   * by the consumer, so a message is delivered again only when a connection or a worker has gone.
   */
  static final int DELIVERY_LIMIT = 50;

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

  /** Why messages cannot arrive, as far as the connection knows. */
  public RabbitState state() {
    return connection.state();
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
                DELIVERY_LIMIT,
                // for messages that expire before they are taken in, or that nobody can read
                "x-dead-letter-exchange",
                topology.ingressRest(),
                "x-dead-letter-routing-key",
                topology.parkedQueue(),
                "x-dead-letter-strategy",
                "at-least-once",
                "x-overflow",
                "reject-publish");
        declareRest(channel);
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

    /**
     * What has expired can be looked at as whatever else is put aside. What has been delivered so
     * often without an answer would break the connection of whoever looks at it, so it has a queue
     * of its own that nobody reads but people, with the tools of the broker.
     */
    private void declareRest(Channel channel) throws IOException {
      String others = topology.ingressRest() + ".others";
      channel.exchangeDeclare(others, BuiltinExchangeType.FANOUT, true);
      channel.queueBind(topology.parkedQueue(), others, "");
      channel.exchangeDeclare(
          topology.ingressRest(),
          BuiltinExchangeType.HEADERS,
          true,
          false,
          Map.of("alternate-exchange", others));
      channel.queueDeclare(
          topology.unreadableQueue(),
          true,
          false,
          false,
          Map.of("x-queue-type", QueueType.QUORUM.argument()));
      // older brokers tell of the first reason only
      for (String which : List.of("x-first-death-reason", "x-last-death-reason")) {
        channel.queueBind(
            topology.unreadableQueue(),
            topology.ingressRest(),
            "",
            Map.of("x-match", "all-with-x", which, "delivery_limit"));
      }
    }

    @Override
    public void suspend(String reason) {
      // nothing of it lives on the connection
    }
  }
}
