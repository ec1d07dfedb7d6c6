package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import dev.carillon.queue.Notice;
import dev.carillon.task.TaskId;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the answers to several notices become the answer to the message that they came in. */
final class RabbitDeliveryIT {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");
  private static final TaskId TASK = new TaskId("01hzy3v7k2m4n6p8r9s0t1v2w3");

  private static RawBroker broker;
  private final String queue = "test-" + UUID.randomUUID();
  private List<RabbitDelivery> deliveries;

  @BeforeAll
  static void findBroker() throws Exception {
    broker = new RawBroker(URI.create(TestBroker.shared().freshVhost()));
  }

  @AfterAll
  static void leaveBroker() throws Exception {
    broker.close();
  }

  @BeforeEach
  void takeOneMessage() throws Exception {
    Channel channel = broker.channel();
    channel.queueDeclare(queue, false, false, false, null);
    channel.basicPublish("", queue, null, new byte[1]);
    await().atMost(Duration.ofMinutes(1)).until(() -> channel.messageCount(queue) == 1);
    GetResponse message = channel.basicGet(queue, false);
    Receipt receipt = new Receipt(channel, message.getEnvelope().getDeliveryTag());
    List<Notice> notices =
        LongStream.range(0, 3).mapToObj(i -> new Notice(TASK, i, 1, 1, NOW, "q", NOW)).toList();
    deliveries = RabbitDelivery.of(notices, false, receipt);
  }

  /** Whether the message is in the queue again; a recovery tells what is not acknowledged. */
  private boolean isBack() throws Exception {
    return broker.channel().messageCount(queue) == 1;
  }

  private boolean isAcknowledged() throws Exception {
    broker.channel().basicRecover(true);
    return !isBack();
  }

  @Test
  void theMessageIsAcknowledgedWithTheLastOfThem() throws Exception {
    deliveries.forEach(RabbitDelivery::ack);

    assertThat(isAcknowledged()).isTrue();
  }

  @Test
  void theMessageIsNotAcknowledgedBefore() throws Exception {
    deliveries.get(0).ack();
    deliveries.get(0).ack();
    deliveries.get(0).requeue();
    deliveries.get(1).ack();

    assertThat(isBack()).isFalse();
    assertThat(isAcknowledged()).isFalse();
  }

  @Test
  void theMessageIsGivenBackWithTheFirst() throws Exception {
    deliveries.get(0).ack();
    deliveries.get(1).requeue();

    await().atMost(Duration.ofMinutes(1)).until(this::isBack);
    deliveries.get(2).ack();
    assertThat(isBack()).isTrue();
  }
}
