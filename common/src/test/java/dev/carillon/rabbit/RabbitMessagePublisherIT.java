package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.impl.ContentHeaderPropertyWriter;
import dev.carillon.definition.DefinitionReader;
import dev.carillon.definition.DefinitionWriter;
import dev.carillon.form.Form;
import dev.carillon.queue.Inbox;
import dev.carillon.rabbit.PublishAnswer.NoSuchExchange;
import dev.carillon.rabbit.PublishAnswer.NotConfirmed;
import dev.carillon.rabbit.PublishAnswer.Published;
import dev.carillon.rabbit.PublishAnswer.Refused;
import dev.carillon.rabbit.PublishAnswer.Unroutable;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.MessageProperty;
import dev.carillon.task.TaskDefinition;
import dev.carillon.testkit.TestBroker;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
            Map.of(MessageProperty.MESSAGE_ID, "task_4"),
            Map.of("X-Index", 4L, "X-Due", "2027"),
            Optional.of(Body.text(text))),
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
    assertThat(message.getProps().getHeaders()).containsEntry("X-Index", 4L).containsKey("X-Due");
    assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("a.b");
  }

  /** Whatever AMQP has, and the broker keeps. */
  private static AMQP.BasicProperties everything() {
    Map<String, Object> table = new HashMap<>();
    table.put("nothing", null);
    table.put("$one", List.of((byte) 1, (short) 2, 3, 4L, 5.5f, 6.25, new BigDecimal("1.50")));
    Map<String, Object> headers = new HashMap<>();
    headers.put("text", "grüezi \uD83D\uDE80");
    headers.put("bytes", new byte[] {0, -1, 127});
    headers.put("flag", true);
    headers.put("date", Date.from(Instant.parse("2027-01-04T08:00:00Z")));
    headers.put("table", table);
    return new AMQP.BasicProperties.Builder()
        .contentType("application/x-thing")
        .contentEncoding("gzip")
        .correlationId("c")
        .messageId("m")
        .replyTo("r")
        .type("t")
        .appId("a")
        .expiration("60000")
        .priority(7)
        .deliveryMode(2)
        .timestamp(Date.from(Instant.parse("2027-01-04T08:00:01Z")))
        .headers(headers)
        .build();
  }

  @Test
  void whatCameInGoesOutByteForByte() throws Exception {
    broker.declareQueue(prefix, Map.of());
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    broker.channel().basicPublish("", prefix, everything(), bytes);
    GetResponse original = broker.take(prefix);

    // through the stored form and back, as it is kept meanwhile
    Action.Amqp action =
        new Action.Amqp(
            "",
            prefix,
            MessageForm.headersOf(original.getProps()),
            MessageForm.propertiesOf(original.getProps()),
            Optional.of(MessageForm.bodyOf(original.getBody())),
            true);
    Action.Amqp kept = throughStore(action);
    assertThat(kept).isEqualTo(action);
    PublishAnswer answer =
        publisher.publish(
            new AmqpMessage("", prefix, kept.properties(), kept.headers(), kept.body()), PATIENCE);

    assertThat(answer).isEqualTo(new Published());
    GetResponse copy = broker.take(prefix);
    assertThat(copy.getBody()).isEqualTo(bytes);
    assertThat(wire(copy.getProps())).isEqualTo(wire(original.getProps()));
  }

  private static Action.Amqp throughStore(Action.Amqp action) {
    TaskDefinition any =
        DefinitionReader.readNew(
                Form.of(Map.of("name", "n", "interval", "PT1H")),
                Instant.parse("2027-01-01T00:00:00Z"))
            .orElseThrow();
    Form form = Form.of(DefinitionWriter.toStored(any.withAction(action)));
    Action read = DefinitionReader.readStored(form).orElseThrow().action();
    return (Action.Amqp) read;
  }

  private static byte[] wire(AMQP.BasicProperties properties) throws Exception {
    Map<String, Object> sorted = new TreeMap<>(properties.getHeaders());
    sorted.computeIfPresent("table", (name, table) -> new TreeMap<>((Map<?, ?>) table));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    properties
        .builder()
        .headers(sorted)
        .build()
        .writePropertiesTo(new ContentHeaderPropertyWriter(new DataOutputStream(bytes)));
    return bytes.toByteArray();
  }

  @Test
  void aBatchIsAnsweredOneByOneEvenIfMessagesLookAlike() throws Exception {
    broker.declareQueue(prefix, Map.of());
    AmqpMessage there =
        new AmqpMessage("", prefix, Map.of(), Map.of(), Optional.of(Body.text("x")));
    AmqpMessage nowhere =
        new AmqpMessage("", prefix + "-missing", Map.of(), Map.of(), Optional.empty());

    assertThat(publisher.publish(List.of(there, nowhere, there, nowhere), PATIENCE))
        .containsExactly(
            new Published(),
            new Unroutable("NO_ROUTE"),
            new Published(),
            new Unroutable("NO_ROUTE"));
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
