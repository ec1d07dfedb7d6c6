package dev.carillon.bench.limit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A queue a message: declare, publish, confirm, expire, consume, delete, acknowledge. The next
 * message follows when the queue of an earlier one is gone, so that nothing piles up unseen.
 */
final class OwnQueueLoop implements Loop {

  private static final String WORK = "limit.work";
  private static final int CHANNELS = 16;
  private static final int PREFETCH = 1_000;
  private static final byte[] BODY = "x".repeat(100).getBytes(StandardCharsets.UTF_8);
  private static final Map<String, Object> ARGUMENTS =
      Map.of(
          "x-dead-letter-exchange", WORK,
          "x-dead-letter-routing-key", WORK,
          "x-expires", 3_600_000L);

  private record Arrived(String queue, long tag) {}

  private final String uri;
  private final Semaphore free;
  private final BasicProperties properties;
  private final AtomicLong names = new AtomicLong();
  private final AtomicLong count = new AtomicLong();
  private final BlockingQueue<Arrived> arrived = new LinkedBlockingQueue<>();

  /**
   * @param wait how long each message waits, in milliseconds
   */
  OwnQueueLoop(String uri, int alive, long wait) {
    this.uri = uri;
    this.free = new Semaphore(alive);
    this.properties =
        MessageProperties.MINIMAL_PERSISTENT_BASIC
            .builder()
            .expiration(String.valueOf(wait))
            .build();
  }

  @Override
  public void start() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(uri);
    Connection consuming = factory.newConnection("limit consumer");
    Channel consumer = consuming.createChannel();
    consumer.exchangeDeclare(WORK, BuiltinExchangeType.DIRECT, true);
    consumer.queueDeclare(WORK, true, false, false, Map.of("x-queue-type", "quorum"));
    consumer.queueBind(WORK, WORK, WORK);
    consumer.basicQos(PREFETCH);
    consumer.basicConsume(
        WORK,
        false,
        (tag, message) ->
            arrived.add(
                new Arrived(
                    message.getProperties().getMessageId(),
                    message.getEnvelope().getDeliveryTag())),
        tag -> {});
    LoopThreads.start(
        "delete",
        factory.newConnection("limit deleter"),
        CHANNELS,
        false,
        channel -> delete(channel, consumer));
    LoopThreads.start(
        "publish", factory.newConnection("limit publisher"), CHANNELS, true, this::publish);
  }

  private void publish(Channel channel) throws IOException, InterruptedException {
    free.acquire();
    String queue = "limit.pending." + names.incrementAndGet();
    channel.queueDeclareNoWait(queue, true, false, false, ARGUMENTS);
    channel.basicPublish("", queue, true, properties.builder().messageId(queue).build(), BODY);
  }

  private void delete(Channel channel, Channel consumer) throws IOException, InterruptedException {
    Arrived message = arrived.take();
    channel.queueDelete(message.queue());
    consumer.basicAck(message.tag(), false);
    count.incrementAndGet();
    free.release();
  }

  @Override
  public long count() {
    return count.get();
  }
}
