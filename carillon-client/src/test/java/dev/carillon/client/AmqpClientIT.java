package dev.carillon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import dev.carillon.client.DelayedPublisher.NotPublishedException;
import dev.carillon.testkit.TestBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Publisher and subscriber on a real broker; what Carillon does in between is tested elsewhere. */
final class AmqpClientIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String INGRESS = "carillon.delay.orders";
  private static final String QUEUE = "to-do";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Order> handled = new CopyOnWriteArrayList<>();
  private Connection connection;
  private Channel channel;

  @BeforeEach
  void connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(TestBroker.shared().freshVhost());
    connection = factory.newConnection("test");
    channel = connection.createChannel();
    channel.exchangeDeclare(INGRESS, BuiltinExchangeType.FANOUT, true);
    channel.queueDeclare(INGRESS, true, false, false, Map.of());
    channel.queueBind(INGRESS, INGRESS, "");
    channel.queueDeclare(QUEUE, true, false, false, Map.of());
  }

  @AfterEach
  void disconnect() {
    connection.abort();
  }

  private GetResponse take(String queue) throws Exception {
    return await().atMost(PATIENCE).until(() -> channel.basicGet(queue, true), got -> got != null);
  }

  private static String header(GetResponse message, String name) {
    return String.valueOf(message.getProps().getHeaders().get(name));
  }

  @Test
  void whatIsPublishedSaysWhenItIsToBeDelivered() throws Exception {
    try (DelayedPublisher publisher = new AmqpDelayedPublisher(connection, JSON)) {
      DelayedMessage.Builder order =
          DelayedMessage.of(new Order(42, "grüezi")).to("orders", "order.close");
      publisher.publish(
          List.of(
              order.after(Duration.ofMinutes(30)).key("order:42").header("tenant", "blue").build(),
              order.at(Instant.parse("2027-01-04T08:00:00Z")).build(),
              order.every(Duration.ofHours(1)).times(3).build()));
      publisher.cancel("orders", "order:42");
    }

    GetResponse delayed = take(INGRESS);
    assertThat(delayed.getEnvelope().getRoutingKey()).isEqualTo("order.close");
    assertThat(header(delayed, "x-delay")).isEqualTo("1800000");
    assertThat(header(delayed, "x-carillon-key")).isEqualTo("order:42");
    assertThat(header(delayed, "tenant")).isEqualTo("blue");
    assertThat(delayed.getProps().getType()).isEqualTo("Order");
    assertThat(delayed.getProps().getMessageId()).isNotEmpty();
    assertThat(delayed.getProps().getDeliveryMode()).isEqualTo(2);
    assertThat(JSON.readValue(delayed.getBody(), Order.class)).isEqualTo(new Order(42, "grüezi"));
    assertThat(header(take(INGRESS), "x-deliver-at")).isEqualTo("2027-01-04T08:00:00Z");
    assertThat(JSON.readTree(header(take(INGRESS), "x-carillon-schedule")))
        .isEqualTo(JSON.readTree("{\"interval\":\"PT1H\",\"maxRuns\":3}"));
    assertThat(header(take(INGRESS), "x-carillon-cancel")).isEqualTo("true");
  }

  @Test
  void whatNobodyTakesInIsSaidAndDoesNotSpoilTheNext() throws Exception {
    channel.exchangeDeclare("carillon.delay.unbound", BuiltinExchangeType.FANOUT, true);
    try (DelayedPublisher publisher = new AmqpDelayedPublisher(connection, JSON)) {
      assertThatThrownBy(
              () -> publisher.publish(DelayedMessage.of(new Order(1, "")).to("none", "").build()))
          .isInstanceOf(NotPublishedException.class)
          .hasMessageContaining("INGRESS_EXCHANGES");
      assertThatThrownBy(
              () ->
                  publisher.publish(DelayedMessage.of(new Order(1, "")).to("unbound", "").build()))
          .isInstanceOf(NotPublishedException.class)
          .hasMessageContaining("returned");

      publisher.publish(DelayedMessage.of(new Order(2, "")).to("orders", "k").build());
    }
    assertThat(JSON.readValue(take(INGRESS).getBody(), Order.class).id()).isEqualTo(2);
  }

  private void send(String type, String body, Map<String, Object> headers) throws Exception {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder().type(type).messageId("m").headers(headers).build();
    channel.basicPublish("", QUEUE, properties, body.getBytes(StandardCharsets.UTF_8));
  }

  private DelayedSubscriber.Builder subscriber() {
    return DelayedSubscriber.on(connection, QUEUE).retry(3, Duration.ofMillis(10));
  }

  private long depth(String queue) throws Exception {
    return channel.messageCount(queue);
  }

  @Test
  void aMessageIsHandledByTypeWithItsKeyAndAcknowledgedAfterwards() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    List<ReceivedMessage> received = new CopyOnWriteArrayList<>();
    DelayedSubscriber subscriber =
        subscriber()
            .handle(
                Order.class,
                (order, message) -> {
                  handled.add(order);
                  received.add(message);
                  mayEnd.await();
                })
            .start();
    send(
        "Order",
        "{\"id\":7,\"note\":\"n\"}",
        Map.of("X-Carillon-Idempotency-Key", "t_0", "X-Carillon-Due-At", "2027-01-04T08:00:00Z"));
    await().atMost(PATIENCE).until(() -> !handled.isEmpty());

    assertThat(handled).containsExactly(new Order(7, "n"));
    assertThat(received.get(0).idempotencyKey()).contains("t_0");
    assertThat(received.get(0).dueAt()).contains(Instant.parse("2027-01-04T08:00:00Z"));
    assertThat(received.get(0).attempt()).isEqualTo(1);
    mayEnd.countDown();
    subscriber.close();
    assertThat(depth(QUEUE)).as("acknowledged").isZero();
  }

  @Test
  void aFailedAttemptIsRepeated() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    DelayedSubscriber subscriber =
        subscriber()
            .handle(
                Order.class,
                (order, message) -> {
                  attempts.incrementAndGet();
                  if (message.attempt() < 3) {
                    throw new IllegalStateException("not yet");
                  }
                  handled.add(order);
                })
            .start();
    send("Order", "{\"id\":7}", Map.of());

    await().atMost(PATIENCE).until(() -> !handled.isEmpty());
    subscriber.close();

    assertThat(attempts.get()).isEqualTo(3);
    assertThat(depth(QUEUE)).isZero();
    assertThat(depth(QUEUE + ".parked")).isZero();
  }

  @Test
  void whatCannotBeHandledIsPutAsideWithTheReason() throws Exception {
    DelayedSubscriber subscriber =
        subscriber()
            .handle(
                Order.class,
                (order, message) -> {
                  throw new IllegalStateException("never");
                })
            .start();

    send("Order", "{\"id\":7}", Map.of("tenant", "blue"));
    GetResponse failed = take(QUEUE + ".parked");
    send("Order", "no JSON", Map.of());
    GetResponse unreadable = take(QUEUE + ".parked");
    send("Other", "{}", Map.of());
    GetResponse unknown = take(QUEUE + ".parked");
    subscriber.close();

    assertThat(header(failed, Parking.REASON)).contains("attempt 3").contains("never");
    assertThat(header(failed, "tenant")).isEqualTo("blue");
    assertThat(new String(failed.getBody(), StandardCharsets.UTF_8)).isEqualTo("{\"id\":7}");
    assertThat(header(unreadable, Parking.REASON)).contains("no Order");
    assertThat(header(unknown, Parking.REASON)).contains("\"Other\"");
    assertThat(depth(QUEUE)).isZero();
  }

  @Test
  void whatWasNotHandledWhenASubscriberClosesGoesToTheNext() throws Exception {
    DelayedSubscriber first =
        DelayedSubscriber.on(connection, QUEUE)
            .retry(3, Duration.ofHours(1))
            .handle(
                Order.class,
                (order, message) -> {
                  handled.add(order);
                  throw new IllegalStateException("not here");
                })
            .start();
    send("Order", "{\"id\":7}", Map.of());
    await().atMost(PATIENCE).until(() -> handled.size() == 1);
    first.close();

    DelayedSubscriber second =
        subscriber().handle(Order.class, (order, message) -> handled.add(order)).start();

    await().atMost(PATIENCE).until(() -> handled.size() == 2);
    second.close();
    assertThat(depth(QUEUE)).isZero();
  }
}
