package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.GetResponse;
import dev.carillon.queue.Inbox;
import dev.carillon.rabbit.PublishAnswer.NoSuchExchange;
import dev.carillon.rabbit.PublishAnswer.NotConfirmed;
import dev.carillon.rabbit.PublishAnswer.Published;
import dev.carillon.rabbit.PublishAnswer.Refused;
import dev.carillon.rabbit.PublishAnswer.Unroutable;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RabbitMessagePublisherIT extends RabbitTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static URI uri;
  private static RawBroker broker;
  private RabbitMessagePublisher publisher;

  @BeforeAll
  static void findBroker() throws Exception {
    uri = URI.create(TestBroker.shared().freshVhost());
    broker = new RawBroker(uri);
  }

  @AfterAll
  static void leaveBroker() throws Exception {
    broker.close();
  }

  @BeforeEach
  void connectFirst() {
    publisher = connect().messagePublisher();
    await()
        .atMost(Inbox.PATIENCE)
        .until(() -> !(publish("", "no such queue") instanceof NotConfirmed));
  }

  @Override
  URI uri() {
    return uri;
  }

  private PublishAnswer publish(String exchange, String routingKey) {
    return publish(exchange, routingKey, "grüezi");
  }

  private PublishAnswer publish(String exchange, String routingKey, String text) {
    return publisher.publish(
        new AmqpMessage(
            exchange,
            routingKey,
            "task_4",
            "text/plain",
            Map.of("X-Index", 4L, "X-Due", "2027"),
            text),
        PATIENCE);
  }

  @Test
  void aMessageReachesTheQueueAsItIs() throws Exception {
    broker.declareQueue(prefix, Map.of());
    broker.channel().exchangeDeclare(prefix, BuiltinExchangeType.TOPIC, true);
    broker.channel().queueBind(prefix, prefix, "a.*");

    assertThat(publish(prefix, "a.b")).isEqualTo(new Published());

    GetResponse message = broker.take(prefix);
    assertThat(message.getBody()).asString(StandardCharsets.UTF_8).isEqualTo("grüezi");
    assertThat(message.getProps().getDeliveryMode()).isEqualTo(2);
    assertThat(message.getProps().getMessageId()).isEqualTo("task_4");
    assertThat(message.getProps().getContentType()).isEqualTo("text/plain");
    assertThat(message.getProps().getTimestamp()).isNotNull();
    assertThat(message.getProps().getHeaders()).containsEntry("X-Index", 4L).containsKey("X-Due");
    assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("a.b");
  }

  @Test
  void aMessageThatNoQueueTakesIsReported() throws Exception {
    broker.channel().exchangeDeclare(prefix, BuiltinExchangeType.TOPIC, true);

    assertThat(publish(prefix, "nobody")).isEqualTo(new Unroutable("NO_ROUTE"));
    assertThat(publish("", prefix)).isEqualTo(new Unroutable("NO_ROUTE"));
  }

  @Test
  void anExchangeThatIsNotThereIsReportedAndHarmsNobodyElse() throws Exception {
    broker.declareQueue(prefix, Map.of());
    for (int i = 0; i < 10; i++) {
      assertThat(publish(prefix + "-missing", "x"))
          .isInstanceOfSatisfying(
              NoSuchExchange.class,
              answer -> assertThat(answer.reason()).startsWith("NOT_FOUND").contains(prefix));
      assertThat(publish("", prefix)).isEqualTo(new Published());
    }
  }

  @Test
  void aQueueThatIsFullRefuses() throws Exception {
    broker.declareQueue(prefix, Map.of("x-max-length", 1, "x-overflow", "reject-publish"));

    assertThat(publish("", prefix)).isEqualTo(new Published());
    assertThat(publish("", prefix)).isInstanceOf(Refused.class);
  }

  @Test
  void anExchangeThatIsNotForPublishingRefuses() throws Exception {
    broker.channel().exchangeDeclare(prefix, "topic", true, false, true, Map.of());

    assertThat(publish(prefix, "x"))
        .isInstanceOfSatisfying(
            Refused.class, answer -> assertThat(answer.reason()).startsWith("ACCESS_REFUSED"));
  }

  @Test
  void aLargeMessageGoesThroughInPieces() throws Exception {
    broker.declareQueue(prefix, Map.of());
    String large = "x".repeat(1_000_000);

    assertThat(publish("", prefix, large)).isEqualTo(new Published());

    assertThat(broker.take(prefix).getBody()).hasSize(1_000_000);
  }
}
