package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchanges and queues through which messages come in that are to be delivered later, and where
 * those go that cannot be taken in. Declared anew with every connection. Used by the connection's
 * supervisor only.
 */
final class IngressTopology implements Resident {

  private static final Logger log = LoggerFactory.getLogger(IngressTopology.class);

  private final Topology topology;
  private final List<String> queues;
  private boolean hasToldOfOtherArguments;

  /**
   * @param queues each with an exchange of the same name
   */
  IngressTopology(Topology topology, List<String> queues) {
    this.topology = topology;
    this.queues = queues;
  }

  @Override
  public void restore(Connection open) throws IOException {
    declareUnreadable(open);
    Channel channel = open(open);
    try {
      Map<String, Object> arguments =
          Map.of(
              "x-queue-type",
              QueueType.QUORUM.argument(),
              "x-single-active-consumer",
              true,
              "x-delivery-limit",
              RabbitIngress.DELIVERY_LIMIT,
              // for messages that expire before they are taken in, or that nobody can read
              "x-dead-letter-exchange",
              topology.ingressRest(),
              "x-dead-letter-routing-key",
              topology.parkedQueue(),
              "x-dead-letter-strategy",
              "at-least-once",
              "x-overflow",
              "reject-publish");
      bindRest(channel);
      for (String name : queues) {
        channel.exchangeDeclare(name, BuiltinExchangeType.FANOUT, true);
        channel.queueDeclare(name, true, false, false, arguments);
        channel.queueBind(name, name, "");
      }
    } finally {
      channel.abort();
    }
  }

  private static Channel open(Connection connection) throws IOException {
    return connection.openChannel().orElseThrow(() -> new IOException("no channel is left"));
  }

  /**
   * A message that is given back is delivered again, which newer brokers allow 20 times only,
   * unless the queue says otherwise: people may look at it as often as they like. A queue that was
   * declared with other arguments does its work all the same, so nothing waits for somebody to see
   * to it.
   */
  private void declareUnreadable(Connection connection) throws IOException {
    String queue = topology.unreadableQueue();
    Channel channel = open(connection); // of its own, since a refusal closes it
    try {
      channel.queueDeclare(
          queue,
          true,
          false,
          false,
          Map.of(
              "x-queue-type",
              QueueType.QUORUM.argument(),
              "x-delivery-limit",
              Topology.PARKED_DELIVERY_LIMIT));
    } catch (IOException e) {
      BrokerProblem problem = BrokerProblem.of(e);
      if (!problem.hasCode(AMQP.PRECONDITION_FAILED)) {
        throw e;
      }
      if (!hasToldOfOtherArguments) {
        hasToldOfOtherArguments = true;
        log.warn(
            "the queue {} is used as it is, but was declared with other arguments, maybe by an"
                + " earlier version ({}). The broker may drop a message there that is looked at and"
                + " given back some 20 times; delete the queue when it is empty, and it is declared"
                + " anew with the next connection",
            queue,
            problem.reason());
      }
    } finally {
      channel.abort();
    }
  }

  /**
   * What has expired can be looked at as whatever else is put aside. What has been delivered so
   * often without an answer would break the connection of whoever looks at it, so it has a queue of
   * its own that nobody reads but people, with the tools of the broker.
   */
  private void bindRest(Channel channel) throws IOException {
    String others = topology.ingressRest() + ".others";
    channel.exchangeDeclare(others, BuiltinExchangeType.FANOUT, true);
    channel.queueBind(topology.parkedQueue(), others, "");
    channel.exchangeDeclare(
        topology.ingressRest(),
        BuiltinExchangeType.HEADERS,
        true,
        false,
        Map.of("alternate-exchange", others));
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
