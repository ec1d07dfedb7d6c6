package dev.carillon.rabbit;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.task.Parking.Arming;
import dev.carillon.task.Priority;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What is on the broker all the time: the exchange that notices leave pending queues through, the
 * work queues they arrive in, the wheel, and the queue for messages that are put aside. Declared
 * anew with every connection, since the broker may have lost its data. Also knows all names.
 * Thread-safe.
 *
 * <p>Notices go to the wheel with routing keys such as {@code high.64x1000.07}, keep them when they
 * leave it, and so find the work queue of their priority.
 */
final class Topology implements Resident {

  private static final String TYPE = "x-queue-type";

  /**
   * A message that is given back is delivered again, which newer brokers allow 20 times only before
   * they throw it away; people may look at what was put aside as often as they like.
   */
  static final int PARKED_DELIVERY_LIMIT = 1_000_000_000;

  private final String prefix;
  private final QueueType workQueueType;
  private final Optional<Wheel> wheel;

  Topology(String prefix, QueueType workQueueType, Optional<Wheel> wheel) {
    this.prefix = prefix;
    this.workQueueType = workQueueType;
    this.wheel = wheel;
  }

  String workExchange() {
    return prefix + ".work";
  }

  /** Where notices of that priority arrive. */
  String workQueue(Priority priority) {
    return prefix + ".work" + (priority == Priority.NORMAL ? "" : "." + word(priority));
  }

  /** Routes from the work exchange to the work queue of that priority. */
  String workRoutingKey(Priority priority) {
    return workQueue(priority);
  }

  /** By this target, messages go to the default exchange, which routes by the name of a queue. */
  static final String DEFAULT_EXCHANGE = "amq.default";

  /** What the broker calls the exchange that a target stands for. */
  static String exchangeOf(String target) {
    return target.equals(DEFAULT_EXCHANGE) ? "" : target;
  }

  /** Exchange and queue for messages that are to be delivered later to the target. */
  String ingress(String target) {
    return ingressPrefix() + target;
  }

  /** Whether messages come in through an exchange. */
  boolean isIngress(String exchange) {
    return exchange.startsWith(ingressPrefix());
  }

  private String ingressPrefix() {
    return prefix + ".delay.";
  }

  /** Where messages go that leave an ingress queue without having been taken in. */
  String ingressRest() {
    return prefix + ".ingress-rest";
  }

  /** For messages that break the connection of whoever reads them. */
  String unreadableQueue() {
    return prefix + ".unreadable";
  }

  String parkedQueue() {
    return prefix + ".parked";
  }

  /** At most 216 bytes with the longest prefix there may be. */
  String pendingQueue(Arming arming) {
    return "%s%s.%d.%d.%d.%d"
        .formatted(
            ownPrefix(),
            arming.task(),
            arming.index(),
            arming.attempt(),
            arming.runAt().toEpochMilli(),
            arming.token());
  }

  /** Whether a queue is one notice's own, so that it may be deleted. */
  boolean isOwnQueue(String queue) {
    return queue.startsWith(ownPrefix());
  }

  private String ownPrefix() {
    return prefix + ".pending.";
  }

  /** Where what goes to the wheel enters it. */
  String wheelExchange() {
    return prefix + ".wheel";
  }

  /** Where what leaves the wheel comes out. */
  private String wheelExit() {
    return prefix + ".wheel.out";
  }

  /** Routes from the wheel's exchange to a slot, and from there to the work queue. */
  String wheelRoutingKey(Priority priority, String slot) {
    return word(priority) + "." + slot;
  }

  String slotQueue(String slot) {
    return slotPrefix() + slot;
  }

  /** Whether a queue is a slot of a wheel, be it of this one or one that turned in another way. */
  boolean isSlotQueue(String queue) {
    return queue.startsWith(slotPrefix());
  }

  private String slotPrefix() {
    return prefix + ".wheel.";
  }

  private static String word(Priority priority) {
    return priority.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void restore(Connection connection) throws IOException {
    Channel channel = connection.createChannel();
    try {
      channel.exchangeDeclare(workExchange(), BuiltinExchangeType.DIRECT, true);
      for (Priority priority : Priority.values()) {
        declare(channel, workQueue(priority), Map.of(TYPE, workQueueType.argument()));
        channel.queueBind(workQueue(priority), workExchange(), workRoutingKey(priority));
      }
      declare(
          channel,
          parkedQueue(),
          Map.of(TYPE, QueueType.QUORUM.argument(), "x-delivery-limit", PARKED_DELIVERY_LIMIT));
      if (wheel.isPresent()) {
        restore(channel, wheel.get());
      }
    } finally {
      channel.abort();
    }
  }

  private void restore(Channel channel, Wheel turning) throws IOException {
    channel.exchangeDeclare(wheelExit(), BuiltinExchangeType.TOPIC, true);
    for (Priority priority : Priority.values()) {
      channel.queueBind(workQueue(priority), wheelExit(), word(priority) + ".#");
    }
    channel.exchangeDeclare(wheelExchange(), BuiltinExchangeType.TOPIC, true);
    Map<String, Object> arguments =
        Map.of(
            TYPE,
            QueueType.QUORUM.argument(),
            "x-dead-letter-exchange",
            wheelExit(),
            // or else messages that just leave would be lost with a broker that is killed
            "x-dead-letter-strategy",
            "at-least-once",
            "x-overflow",
            "reject-publish"); // without which the strategy is ignored
    for (String slot : turning.names()) {
      declare(channel, slotQueue(slot), arguments);
      channel.queueBind(slotQueue(slot), wheelExchange(), "*." + slot);
    }
  }

  private static void declare(Channel channel, String queue, Map<String, Object> arguments)
      throws IOException {
    channel.queueDeclare(queue, true, false, false, arguments);
  }

  @Override
  public void suspend(String reason) {
    // nothing of it lives on the connection
  }
}
