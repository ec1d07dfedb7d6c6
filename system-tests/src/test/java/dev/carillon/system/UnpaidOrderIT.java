package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.carillon.client.AmqpDelayedPublisher;
import dev.carillon.client.DelayedMessage;
import dev.carillon.client.DelayedPublisher;
import dev.carillon.client.DelayedSubscriber;
import dev.carillon.client.HttpDelayedPublisher;
import example.orders.CloseOrder;
import example.orders.Orders;
import example.orders.Orders.Status;
import example.orders.Shop;
import example.orders.UnpaidOrderMain;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The example of the unpaid order, by both ways that the client knows. */
final class UnpaidOrderIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration TIME_TO_PAY = Duration.ofSeconds(3);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static Installation carillon;
  private static Connection connection;

  @BeforeAll
  static void start() throws Exception {
    carillon = new Installation(Map.of("INGRESS_EXCHANGES", "orders"));
    JarProcess unused = carillon.startWorker("worker");
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(carillon.amqpUri());
    connection = factory.newConnection("shop");
  }

  @AfterAll
  static void stop() {
    connection.abort();
    carillon.close();
  }

  @Test
  void overAmqp() throws Exception {
    try (DelayedPublisher publisher = new AmqpDelayedPublisher(connection, JSON)) {
      expectThatUnpaidOrdersAreClosed(publisher, "amqp");
    }
  }

  @Test
  void overHttp() throws Exception {
    try (DelayedPublisher publisher =
        new HttpDelayedPublisher(URI.create(carillon.api().base()), JSON)) {
      expectThatUnpaidOrdersAreClosed(publisher, "http");
    }
  }

  @SuppressWarnings("try") // the subscriber only has to be there
  private static void expectThatUnpaidOrdersAreClosed(DelayedPublisher publisher, String name)
      throws Exception {
    Orders orders = new Orders();
    try (DelayedSubscriber subscriber =
        UnpaidOrderMain.open(connection, orders, publisher, TIME_TO_PAY)) {
      Shop shop = new Shop(orders, publisher, TIME_TO_PAY);
      String paid = name + "-paid";
      String unpaid = name + "-unpaid";
      shop.place(paid);
      shop.place(unpaid);
      shop.place(unpaid); // nobody knew whether the first time had succeeded
      awaitTask("order:" + paid, "ACTIVE");
      assertThat(shop.pay(paid)).isTrue();
      awaitTask("order:" + paid, "CANCELED");

      await().atMost(LIMIT).until(() -> orders.status(unpaid).equals(Optional.of(Status.CLOSED)));
      assertThat(orders.status(paid)).contains(Status.PAID);
      awaitTask("order:" + unpaid, "FINISHED");
    }
  }

  private static void awaitTask(String key, String status) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              JsonNode task = carillon.api().get("/api/tasks/by-key/" + key).body();
              assertThat(task.path("status").asText()).as(carillon::tails).isEqualTo(status);
            });
  }

  @Test
  @SuppressWarnings("try") // the subscriber only has to be there
  void aMessageCanComeAgainAndAgain() throws Exception {
    Orders orders = new Orders();
    AtomicInteger received = new AtomicInteger();
    try (DelayedPublisher publisher = new AmqpDelayedPublisher(connection, JSON);
        DelayedSubscriber declared =
            UnpaidOrderMain.open(connection, orders, publisher, TIME_TO_PAY)) {
      declared.close(); // for its exchange and queue
      try (DelayedSubscriber subscriber =
          DelayedSubscriber.on(connection, "close-orders")
              .handle(CloseOrder.class, (order, message) -> received.incrementAndGet())
              .start()) {
        publisher.publish(
            DelayedMessage.of(new CloseOrder("again"))
                .to(Shop.EXCHANGE, Shop.CLOSE)
                .every(Duration.ofSeconds(1))
                .times(3)
                .key("again")
                .build());
        awaitTask("again", "FINISHED");
        await().atMost(LIMIT).until(() -> received.get() == 3);
      }
    }
  }
}
