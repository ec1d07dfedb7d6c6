package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.LongString;
import dev.carillon.testkit.FreePort;
import dev.carillon.testkit.PrivateBroker;
import dev.carillon.testkit.TestBroker;
import dev.carillon.testkit.TestStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Publishers that know nothing but AMQP, a worker, and a broker that does not live long. */
final class DelayedMessagesIT {

  private static final int MESSAGES = Integer.getInteger("messages.count", 2_000);
  private static final int PER_SECOND = 150;
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final String INGRESS = "carillon.delay.orders";

  private final long seed = Long.getLong("messages.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final PrivateBroker broker = TestBroker.startPrivate();
  private final int healthPort = FreePort.next();
  private final ApiClient workerClient = new ApiClient(healthPort);
  private Service worker;
  private Connection connection;

  /** What arrived first of each, by message id. */
  private final ConcurrentMap<String, Arrival> arrived = new ConcurrentHashMap<>();

  private final AtomicInteger repeated = new AtomicInteger();

  private record Arrival(Instant at, Delivery message) {

    Instant dueAt() {
      return Instant.parse(
          message.getProperties().getHeaders().get("X-Carillon-Due-At").toString());
    }

    Duration lateness() {
      return Duration.between(dueAt(), at);
    }
  }

  @BeforeEach
  void start() throws Exception {
    worker =
        new Service(
            "worker",
            "scheduler-worker",
            Map.of(
                "AMQP_URI",
                broker.uri(),
                "MONGODB_URI",
                TestStore.shared().freshDatabase(),
                "HEALTH_HOST",
                "127.0.0.1",
                "HEALTH_PORT",
                "" + healthPort,
                "GRACE",
                "PT2S",
                "INGRESS_EXCHANGES",
                "orders"),
            workerClient::isReady);
    worker.start();
    connect();
  }

  @AfterEach
  void stop() throws Exception {
    if (connection != null) {
      connection.abort();
    }
    worker.close();
    broker.close();
  }

  /** Connects and declares what the receivers need, as they would. */
  private void connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(broker.uri());
    factory.setAutomaticRecoveryEnabled(false);
    connection = factory.newConnection("test");
    Channel channel = connection.createChannel();
    channel.exchangeDeclare("orders", BuiltinExchangeType.TOPIC, true);
    channel.queueDeclare("receiver", true, false, false, Map.of("x-queue-type", "quorum"));
    channel.queueBind("receiver", "orders", "order.#");
    channel.basicQos(500);
    channel.basicConsume(
        "receiver",
        false,
        (tag, message) -> {
          Arrival arrival = new Arrival(Instant.now(), message);
          if (arrived.putIfAbsent(message.getProperties().getMessageId(), arrival) != null) {
            repeated.incrementAndGet();
          }
          channel.basicAck(message.getEnvelope().getDeliveryTag(), false);
        },
        tag -> {});
  }

  private static byte[] body(String id) {
    byte[] bytes = new byte[64];
    new Random(id.hashCode()).nextBytes(bytes);
    return bytes;
  }

  private static AMQP.BasicProperties properties(String id, Map<String, Object> headers) {
    Map<String, Object> all = new HashMap<>(headers);
    all.put("tenant", "blue");
    all.put("table", Map.of("n", 7, "list", List.of(1L, true)));
    return new AMQP.BasicProperties.Builder()
        .messageId(id)
        .correlationId("c-" + id)
        .contentType("application/x-order")
        .contentEncoding("none")
        .type("OrderClose")
        .replyTo("answers")
        .priority(4)
        .deliveryMode(2)
        .headers(all)
        .build();
  }

  private static void publish(Channel channel, String routingKey, AMQP.BasicProperties properties)
      throws IOException {
    byte[] body = body(properties.getMessageId());
    channel.basicPublish(INGRESS, routingKey, true, properties, body);
  }

  private double takenIn() {
    return workerClient.metric("carillon_ingress_messages_total{result=\"stored\"}")
        + workerClient.metric("carillon_ingress_messages_total{result=\"cancelling\"}");
  }

  @Test
  void allArriveAtTheirInstantsButThoseThatWereCanceled() throws Exception {
    Load load = Load.of(MESSAGES);
    publishAndAwaitStored(load);

    await().atMost(LIMIT).until(() -> arrived.size() >= load.messages());

    expectAll(load);
    report("undisturbed");
  }

  @Test
  void noneIsLostWhateverBecomesOfTheBroker() throws Exception {
    Load load = Load.of(MESSAGES / 4);
    publishAndAwaitStored(load);
    assertThat(arrived.keySet()).as("nothing may be due yet, or the wipe proves nothing").isEmpty();

    connection.abort();
    broker.kill9();
    broker.wipe();
    broker.start();
    connect();
    await().atMost(LIMIT).until(() -> arrived.size() > load.messages() / 2);
    connection.abort();
    broker.kill9();
    broker.start();
    connect();
    await().atMost(LIMIT).until(() -> arrived.size() >= load.messages());

    expectAll(load);
    report("with the broker killed and wiped, and killed again");
  }

  /**
   * What is published.
   *
   * @param messages that are to arrive
   * @param canceled that are not
   * @param first when the first may be due
   * @param span in which all are due
   */
  private record Load(int messages, int canceled, Instant first, Duration span) {

    static Load of(int messages) {
      return new Load(
          messages,
          messages / 10,
          Instant.now().plusSeconds(15L + messages / 200),
          Duration.ofSeconds(5L + messages / PER_SECOND));
    }

    /** To an instant that is as good as any other of the span. */
    long delay(Random random) {
      Instant due = first.plusMillis(random.nextInt((int) span.toMillis()));
      return Math.max(1, Duration.between(Instant.now(), due).toMillis());
    }
  }

  private void publishAndAwaitStored(Load load) throws Exception {
    System.out.println("delayed messages: -Dmessages.seed=" + seed);
    publishAll(load);
    Instant published = Instant.now();
    await().atMost(LIMIT).until(() -> takenIn() >= load.messages() + 2 * load.canceled());
    System.out.printf(
        "delayed messages: taken in %d ms after the last was published%n",
        Duration.between(published, Instant.now()).toMillis());
  }

  private void expectAll(Load load) {
    arrived.forEach(DelayedMessagesIT::expectUnchanged);
    assertThat(arrived.keySet()).noneMatch(id -> id.startsWith("cancel"));
    assertThat(arrived.values()).noneMatch(arrival -> arrival.lateness().isNegative());
    expectNoneBehindAnother(load);
  }

  private void publishAll(Load load) throws Exception {
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    for (int i = 0; i < load.messages(); i++) {
      Map<String, Object> headers = Map.of("x-delay", load.delay(random));
      publish(channel, "order.close." + i, properties("m" + i, headers));
    }
    for (int i = 0; i < load.canceled(); i++) {
      Map<String, Object> headers =
          Map.of("x-delay", load.delay(random), "x-carillon-key", "order:" + i);
      publish(channel, "order.close", properties("canceled" + i, headers));
    }
    channel.waitForConfirmsOrDie(LIMIT.toMillis());
    await().atMost(LIMIT).until(() -> takenIn() >= load.messages() + load.canceled());
    for (int i = 0; i < load.canceled(); i++) {
      Map<String, Object> headers =
          Map.of("x-carillon-cancel", true, "x-carillon-key", "order:" + i);
      publish(channel, "", properties("cancel" + i, headers));
    }
    channel.waitForConfirmsOrDie(LIMIT.toMillis());
    channel.close();
  }

  private static void expectUnchanged(String id, Arrival arrival) {
    AMQP.BasicProperties got = arrival.message().getProperties();
    AMQP.BasicProperties sent = properties(id, Map.of());
    Map<String, Object> headers = new HashMap<>(got.getHeaders());
    headers
        .keySet()
        .removeIf(name -> name.startsWith("X-Carillon-") || name.equals("x-delivery-count"));
    assertThat(plain(headers)).isEqualTo(plain(sent.getHeaders()));
    assertThat(got.builder().headers(null).build()).isEqualTo(sent.builder().headers(null).build());
    assertThat(arrival.message().getBody()).isEqualTo(body(id));
    assertThat(arrival.message().getEnvelope().getRoutingKey())
        .isEqualTo("order.close." + id.substring(1));
  }

  /** The driver has texts of its own. */
  private static Object plain(Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<Object, Object> plain = new HashMap<>();
      map.forEach((name, element) -> plain.put(name, plain(element)));
      return plain;
    }
    return value instanceof LongString ? value.toString() : value;
  }

  /** If they waited behind each other, the order of due times would be no better than chance. */
  private void expectNoneBehindAnother(Load load) {
    List<Arrival> all = new ArrayList<>(arrived.values());
    Duration apart = load.span().dividedBy(4);
    int pairs = 0;
    int inverted = 0;
    for (int i = 0; i < 20_000; i++) {
      Arrival one = all.get(random.nextInt(all.size()));
      Arrival other = all.get(random.nextInt(all.size()));
      if (one.dueAt().plus(apart).isBefore(other.dueAt())) {
        pairs++;
        inverted += one.at().isAfter(other.at()) ? 1 : 0;
      }
    }
    assertThat(pairs).isPositive();
    assertThat(inverted).as("of " + pairs).isLessThan(pairs / 20);
  }

  private void report(String how) {
    long[] millis = arrived.values().stream().mapToLong(a -> a.lateness().toMillis()).toArray();
    Arrays.sort(millis);
    System.out.printf(
        Locale.ROOT,
        "delayed messages: %d arrived, %d of them more than once; lateness p50 %d ms, p99 %d ms,"
            + " max %d ms; %s%n",
        arrived.size(),
        repeated.get(),
        millis[millis.length / 2],
        millis[(int) (millis.length * 0.99)],
        millis[millis.length - 1],
        how);
  }

  @Test
  void aReceiverThatIsNotThereYetIsWaitedFor() throws Exception {
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    channel.queueUnbind("receiver", "orders", "order.#");
    publish(channel, "order.a", properties("later", Map.of("x-delay", 1_000)));
    publish(channel, "order.b", properties("at once", Map.of()));
    channel.waitForConfirmsOrDie(LIMIT.toMillis());
    await().atMost(LIMIT).until(() -> workerClient.metric(FAILED) >= 2);
    channel.queueBind("receiver", "orders", "order.#");

    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(arrived.keySet()).containsExactlyInAnyOrder("later", "at once"));
    assertThat(Collections.max(arrived.values().stream().map(DelayedMessagesIT::attempt).toList()))
        .isGreaterThan(1);
  }

  private static final String FAILED =
      "carillon_attempt_duration_seconds_count{outcome=\"failed\"}";

  private static int attempt(Arrival arrival) {
    Object attempt = arrival.message().getProperties().getHeaders().get("X-Carillon-Attempt");
    return Integer.parseInt(attempt.toString());
  }
}
