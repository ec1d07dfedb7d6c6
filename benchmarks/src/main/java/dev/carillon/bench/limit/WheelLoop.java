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
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A ring of shared queues, each for one second: publish, confirm, expire together, consume,
 * acknowledge. The next message follows when an earlier one has arrived.
 */
final class WheelLoop implements Loop {

  private static final String WORK = "limit.work";
  private static final int SLOTS = 64;
  private static final int CHANNELS = 4;
  private static final int PREFETCH = 2_000;
  private static final long SECOND = 1_000;
  private static final byte[] BODY = "x".repeat(100).getBytes(StandardCharsets.UTF_8);

  /** Dead-lettering at least once keeps a message until the work queue has it. */
  private static final Map<String, Object> SLOT =
      Map.of(
          "x-queue-type", "quorum",
          "x-overflow", "reject-publish",
          "x-dead-letter-strategy", "at-least-once",
          "x-dead-letter-exchange", WORK,
          "x-dead-letter-routing-key", WORK);

  private final String uri;
  private final Semaphore free;
  private final AtomicLong count = new AtomicLong();

  WheelLoop(String uri, int alive) {
    this.uri = uri;
    this.free = new Semaphore(alive);
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
    for (int slot = 0; slot < SLOTS; slot++) {
      consumer.queueDeclare(slotQueue(slot), true, false, false, SLOT);
    }
    consumer.basicQos(PREFETCH);
    consumer.basicConsume(
        WORK,
        false,
        (tag, message) -> {
          consumer.basicAck(message.getEnvelope().getDeliveryTag(), false);
          count.incrementAndGet();
          free.release();
        },
        tag -> {});
    LoopThreads.start(
        "publish", factory.newConnection("limit publisher"), CHANNELS, true, this::publish);
  }

  private static String slotQueue(long slot) {
    return "limit.slot." + slot;
  }

  private void publish(Channel channel) throws IOException, InterruptedException {
    free.acquire();
    long now = System.currentTimeMillis();
    long second = now / SECOND + 2;
    BasicProperties properties =
        MessageProperties.MINIMAL_PERSISTENT_BASIC
            .builder()
            .expiration(String.valueOf((second - 1) * SECOND - now))
            .build();
    channel.basicPublish("", slotQueue(second % SLOTS), true, properties, BODY);
  }

  @Override
  public long count() {
    return count.get();
  }
}
