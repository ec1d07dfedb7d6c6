package dev.carillon.rabbit;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.task.TaskId;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;

/**
 * What is on the broker all the time: the exchange that notices leave pending queues through, the
 * work queue they arrive in, and the queue for messages that are put aside. Declared anew with
 * every connection, since the broker may have lost its data. Also knows all names. Thread-safe.
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

  Topology(String prefix, QueueType workQueueType) {
    this.prefix = prefix;
    this.workQueueType = workQueueType;
  }

  String workExchange() {
    return prefix + ".work";
  }

  String workQueue() {
    return prefix + ".work";
  }

  /** Routes from the work exchange to the work queue. */
  String workRoutingKey() {
    return prefix + ".work";
  }

  String parkedQueue() {
    return prefix + ".parked";
  }

  /** At most 216 bytes with the longest prefix there may be. */
  String pendingQueue(TaskId task, long index, int attempt, Instant runAt, long token) {
    return "%s.pending.%s.%d.%d.%d.%d"
        .formatted(prefix, task, index, attempt, runAt.toEpochMilli(), token);
  }

  @Override
  public void restore(Connection connection) throws IOException {
    Channel channel = connection.createChannel();
    try {
      channel.exchangeDeclare(workExchange(), BuiltinExchangeType.DIRECT, true);
      declare(channel, workQueue(), Map.of(TYPE, workQueueType.argument()));
      channel.queueBind(workQueue(), workExchange(), workRoutingKey());
      declare(
          channel,
          parkedQueue(),
          Map.of(TYPE, QueueType.QUORUM.argument(), "x-delivery-limit", PARKED_DELIVERY_LIMIT));
    } finally {
      channel.abort();
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
