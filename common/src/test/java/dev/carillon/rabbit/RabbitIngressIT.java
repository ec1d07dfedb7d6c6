package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.GetResponse;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.IncomingMessage;
import dev.carillon.queue.IncomingMessages;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.queue.ParkedMessages.RetryAnswer;
import dev.carillon.task.Action;
import dev.carillon.task.MessageProperty;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How messages come in, and what becomes of them until somebody has taken them. */
final class RabbitIngressIT extends RabbitTest {

  /** For what takes dozens of connections. */
  private static final Duration LONG = Duration.ofMinutes(2);

  private static URI uri;
  private static RawBroker broker;
  private final List<RabbitIngress> opened = new ArrayList<>();

  @BeforeAll
  static void findBroker() throws Exception {
    uri = URI.create(TestBroker.shared().freshVhost());
    broker = new RawBroker(uri);
  }

  @AfterAll
  static void leaveBroker() throws Exception {
    broker.close();
  }

  @Override
  URI uri() {
    return uri;
  }

  private RabbitIngress open(RabbitQueues queues, List<String> targets, IncomingMessages taker) {
    RabbitIngress ingress = queues.ingress(targets, taker);
    opened.add(ingress);
    ingress.start();
    await().atMost(Inbox.PATIENCE).until(ingress::isActive);
    return ingress;
  }

  @AfterEach
  void closeIngress() {
    opened.forEach(RabbitIngress::close);
  }

  private String ingress(String target) {
    return prefix + ".delay." + target;
  }

  private void publish(
      String target, String routingKey, AMQP.BasicProperties properties, byte[] body)
      throws Exception {
    broker.channel().basicPublish(ingress(target), routingKey, true, properties, body);
  }

  private static AMQP.BasicProperties headers(Map<String, Object> headers) {
    return new AMQP.BasicProperties.Builder().headers(headers).build();
  }

  private long depth(String queue) throws Exception {
    return broker.channel().messageCount(queue);
  }

  /** Takes everything, and remembers it. */
  private static final class Taker implements IncomingMessages {
    final List<Action.Amqp> taken = new CopyOnWriteArrayList<>();
    final List<Integer> batches = new CopyOnWriteArrayList<>();

    @Override
    public void take(List<IncomingMessage> messages) {
      batches.add(messages.size());
      messages.forEach(
          message -> {
            taken.add(message.message());
            message.take();
          });
    }
  }

  @Test
  void aMessageThatTheDriverCannotReadIsPutAsideWithoutThoseBesideIt() throws Exception {
    Object nested = "deep";
    for (int i = 0; i < 60; i++) {
      nested = List.of(nested);
    }
    Taker taker = new Taker();
    RabbitIngress ingress = open(connect(), List.of("orders", "others"), taker);
    for (int i = 0; i < 100; i++) {
      publish("orders", "before." + i, headers(Map.of()), new byte[0]);
    }
    publish("orders", "unreadable", headers(Map.of("nested", nested)), new byte[0]);
    for (int i = 0; i < 100; i++) {
      publish("orders", "after." + i, headers(Map.of()), new byte[0]);
      publish("others", "other." + i, headers(Map.of()), new byte[0]);
    }

    await().atMost(LONG).until(() -> depth(prefix + ".unreadable") == 1);
    await()
        .atMost(LONG)
        .until(() -> taker.taken.stream().map(Action.Amqp::routingKey).distinct().count() == 300);
    await().atMost(LONG).until(ingress::isActive);
    assertThat(depth(prefix + ".unreadable")).isEqualTo(1);
    assertThat(depth(prefix + ".parked")).isZero();
  }

  /** Brokers from 4.0 on drop it after 20 looks, unless the queue says otherwise. */
  @Test
  void whatIsUnreadableMayBeLookedAtAsOftenAsOneLikes() throws Exception {
    open(connect(), List.of("orders"), new Taker());
    String unreadable = prefix + ".unreadable";

    // a declaration with other arguments would be refused
    broker.declareQueue(
        unreadable,
        Map.of("x-queue-type", "quorum", "x-delivery-limit", Topology.PARKED_DELIVERY_LIMIT));

    broker.channel().basicPublish("", unreadable, null, new byte[] {1});
    await().atMost(Inbox.PATIENCE).until(() -> depth(unreadable) == 1);
    for (int i = 0; i < 30; i++) {
      GetResponse looked = broker.channel().basicGet(unreadable, false);
      assertThat(looked).as("look %d", i).isNotNull();
      broker.channel().basicNack(looked.getEnvelope().getDeliveryTag(), false, true);
      await().atMost(Inbox.PATIENCE).until(() -> depth(unreadable) == 1);
    }
  }

  /** By an earlier version. */
  @Test
  void aQueueForUnreadableMessagesWithOtherArgumentsIsUsedAsItIs() throws Exception {
    String unreadable = prefix + ".unreadable";
    broker.declareQueue(unreadable, Map.of("x-queue-type", "quorum"));
    Taker taker = new Taker();
    open(connect(), List.of("orders"), taker);

    publish("orders", "a.key", headers(Map.of()), new byte[0]);
    await().atMost(Inbox.PATIENCE).until(() -> taker.taken.size() == 1);
    broker
        .channel()
        .basicPublish(
            prefix + ".ingress-rest",
            "",
            headers(Map.of("x-first-death-reason", "delivery_limit")),
            new byte[] {1});

    await().atMost(Inbox.PATIENCE).until(() -> depth(unreadable) == 1);
    assertThatThrownBy(
            () ->
                broker.declareQueue(
                    unreadable,
                    Map.of(
                        "x-queue-type",
                        "quorum",
                        "x-delivery-limit",
                        Topology.PARKED_DELIVERY_LIMIT)))
        .as("left as it was")
        .hasStackTraceContaining("inequivalent arg");
  }

  @Test
  void targetExchangesThatDoNotExistAreToldAndTakenInForAllTheSame() throws Exception {
    String later = prefix + ".later";
    broker.channel().exchangeDeclare(prefix, BuiltinExchangeType.TOPIC, true);
    Taker taker = new Taker();
    RabbitIngress ingress =
        open(connect(), List.of("nowhere", prefix, later, "amq.default"), taker);

    await().atMost(Inbox.PATIENCE).until(() -> !ingress.missingTargets().isEmpty());
    assertThat(ingress.missingTargets()).containsExactly("nowhere", later);
    publish(later, "a.key", headers(Map.of()), new byte[0]);
    await().atMost(Inbox.PATIENCE).until(() -> taker.taken.size() == 1);

    broker.channel().exchangeDeclare(later, BuiltinExchangeType.TOPIC, true);
    await().atMost(Inbox.PATIENCE).until(() -> ingress.missingTargets().equals(List.of("nowhere")));

    broker.channel().exchangeDelete(prefix);
    await()
        .atMost(Inbox.PATIENCE)
        .until(() -> ingress.missingTargets().equals(List.of("nowhere", prefix)));
    assertThat(ingress.isActive()).isTrue();
  }

  @Test
  void messagesComeInAsTheyAreForTheirTargets() throws Exception {
    Taker taker = new Taker();
    open(connect(), List.of("orders", "amq.default"), taker);
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .headers(Map.of("x-delay", 5, "list", List.of(1, "a")))
            .messageId("m")
            .type("Thing")
            .priority(3)
            .build();

    publish("orders", "any.key", properties, new byte[] {0, -1, 7});
    publish("amq.default", "a queue", headers(Map.of()), "grüezi".getBytes(StandardCharsets.UTF_8));

    await().atMost(Inbox.PATIENCE).until(() -> taker.taken.size() == 2);
    Action.Amqp first =
        taker.taken.stream().filter(m -> m.exchange().equals("orders")).findFirst().orElseThrow();
    assertThat(first.routingKey()).isEqualTo("any.key");
    assertThat(first.headers()).isEqualTo(Map.of("x-delay", 5, "list", List.of(1, "a")));
    assertThat(first.properties())
        .isEqualTo(
            Map.of(
                MessageProperty.MESSAGE_ID,
                "m",
                MessageProperty.TYPE,
                "Thing",
                MessageProperty.PRIORITY,
                "3"));
    assertThat(first.body().orElseThrow().bytes()).containsExactly(0, -1, 7);
    Action.Amqp second =
        taker.taken.stream().filter(m -> m.exchange().isEmpty()).findFirst().orElseThrow();
    assertThat(second.routingKey()).isEqualTo("a queue");
    assertThat(second.body().orElseThrow().text()).isEqualTo("grüezi");
  }

  @Test
  void whatArrivesMeanwhileGoesTogetherAndInItsOrder() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    Taker taker = new Taker();
    RabbitQueues queues = connect();
    open(
        queues,
        List.of("orders"),
        messages -> {
          try {
            mayGoOn.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          taker.take(messages);
        });
    for (int i = 0; i < 1_500; i++) {
      publish("orders", "" + i, headers(Map.of()), new byte[0]);
    }
    await().atMost(Inbox.PATIENCE).until(() -> depth(ingress("orders")) == 0); // all delivered
    mayGoOn.countDown();

    await().atMost(Inbox.PATIENCE).until(() -> taker.taken.size() == 1_500);
    assertThat(taker.taken)
        .extracting(Action.Amqp::routingKey)
        .containsExactlyElementsOf(IntStream.range(0, 1_500).mapToObj(i -> "" + i).toList());
    assertThat(taker.batches).hasSizeLessThan(10);
  }

  @Test
  void whatCannotBeTakenNowIsBroughtAgainBeforeWhatComesAfterIt() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Taker taker = new Taker();
    open(
        connect(),
        List.of("orders"),
        messages -> {
          if (calls.incrementAndGet() == 1) {
            throw new IllegalStateException("the store is away");
          }
          taker.take(messages);
        });

    publish("orders", "first", headers(Map.of()), new byte[0]);
    await().atMost(Inbox.PATIENCE).until(() -> calls.get() == 1);
    publish("orders", "second", headers(Map.of()), new byte[0]);

    await().atMost(Inbox.PATIENCE).until(() -> taker.taken.size() == 2);
    assertThat(taker.taken).extracting(Action.Amqp::routingKey).containsExactly("first", "second");
  }

  @Test
  void whatWasNotTakenGoesToTheNextInItsOrder() throws Exception {
    RabbitQueues queues = connect();
    RabbitIngress dying =
        open(
            queues,
            List.of("orders"),
            messages -> {
              throw new IllegalStateException("the store is away");
            });
    Taker taker = new Taker();
    open(queues, List.of("orders"), taker);
    for (int i = 0; i < 100; i++) {
      publish("orders", "" + i, headers(Map.of()), new byte[0]);
    }
    assertThat(taker.taken).as("one at a time gets them").isEmpty();

    dying.close();

    await().atMost(Inbox.PATIENCE).until(() -> taker.taken.size() == 100);
    assertThat(taker.taken)
        .extracting(Action.Amqp::routingKey)
        .containsExactlyElementsOf(IntStream.range(0, 100).mapToObj(i -> "" + i).toList());
  }

  @Test
  void whatMakesNoSenseIsPutAsideAndCanBeSentBack() throws Exception {
    AtomicInteger refusals = new AtomicInteger();
    Taker taker = new Taker();
    RabbitQueues queues = connect();
    open(
        queues,
        List.of("orders"),
        messages -> {
          for (IncomingMessage message : messages) {
            if (refusals.getAndIncrement() == 0) {
              message.refuse("x-delay must be a number");
            } else {
              taker.take(List.of(message));
            }
          }
        });
    publish(
        "orders",
        "a.key",
        headers(Map.of("x-delay", "soon", "x-carillon-key", "order.17")),
        "body".getBytes(StandardCharsets.UTF_8));

    await().atMost(Inbox.PATIENCE).until(() -> queues.parkedMessages().list(10).size() == 1);
    ParkedMessage parked = queues.parkedMessages().list(10).get(0);
    assertThat(parked.reason()).isEqualTo("x-delay must be a number");
    assertThat(parked.exchange()).isEqualTo(ingress("orders"));
    assertThat(parked.routingKey()).isEqualTo("a.key");
    assertThat(messagesParked.get()).isEqualTo(1);

    assertThat(queues.parkedMessages().retry(parked.id())).isEqualTo(RetryAnswer.SENT_BACK);

    await().atMost(Inbox.PATIENCE).until(() -> taker.taken.size() == 1);
    assertThat(taker.taken.get(0).routingKey()).isEqualTo("a.key");
    assertThat(taker.taken.get(0).headers())
        .isEqualTo(Map.of("x-delay", "soon", "x-carillon-key", "order.17"));
  }

  @Test
  void aMessageThatExpiresBeforeItIsTakenIsPutAside() throws Exception {
    RabbitQueues queues = connect();
    open(queues, List.of("orders"), new Taker()).close();
    AMQP.BasicProperties shortLived =
        new AMQP.BasicProperties.Builder().expiration("1").deliveryMode(2).build();

    publish("orders", "a.key", shortLived, "body".getBytes(StandardCharsets.UTF_8));

    await().atMost(Inbox.PATIENCE).until(() -> queues.parkedMessages().list(10).size() == 1);
    ParkedMessage parked = queues.parkedMessages().list(10).get(0);
    assertThat(parked.reason()).contains("expired");
    assertThat(parked.exchange()).isEqualTo(ingress("orders"));
    assertThat(parked.routingKey()).isEqualTo("a.key");
  }

  @Test
  void whatIsNotToWaitGoesThrough() throws Exception {
    RabbitQueues queues = connect();
    broker.channel().exchangeDeclare(prefix, BuiltinExchangeType.TOPIC, true);
    broker.declareQueue(prefix, Map.of());
    broker.channel().queueBind(prefix, prefix, "a.*");
    RabbitMessagePublisher publisher = queues.messagePublisher();
    Taker taker = new Taker();
    open(queues, List.of(prefix), taker);
    publish(prefix, "a.b", headers(Map.of("h", 1)), new byte[] {1, 2});
    publish(prefix, "nowhere", headers(Map.of()), new byte[0]);
    await().atMost(Inbox.PATIENCE).until(() -> taker.taken.size() == 2);

    await()
        .atMost(Inbox.PATIENCE)
        .until(
            () ->
                publisher
                    .asOutlet(Duration.ofSeconds(5))
                    .publish(taker.taken)
                    .equals(List.of(true, false)));

    GetResponse through = broker.take(prefix);
    assertThat(through.getEnvelope().getRoutingKey()).isEqualTo("a.b");
    assertThat(through.getProps().getHeaders()).isEqualTo(Map.of("h", 1));
    assertThat(through.getBody()).containsExactly(1, 2);
  }
}
