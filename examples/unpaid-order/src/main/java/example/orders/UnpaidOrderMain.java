package example.orders;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.carillon.client.AmqpDelayedPublisher;
import dev.carillon.client.DelayedPublisher;
import dev.carillon.client.DelayedSubscriber;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Places two orders, pays one of them, and waits until the other is closed. A worker must be there
 * with {@code INGRESS_EXCHANGES=orders}.
 */
public final class UnpaidOrderMain {

  /** Where messages that close orders arrive. */
  static final String QUEUE = "close-orders";

  private UnpaidOrderMain() {}

  @SuppressWarnings("try") // the subscriber only has to be there
  public static void main(String[] arguments) throws Exception {
    Map<String, String> environment = System.getenv();
    String broker = environment.getOrDefault("AMQP_URI", "amqp://guest:guest@localhost:5672");
    Duration timeToPay = Duration.parse(environment.getOrDefault("TIME_TO_PAY", "PT10S"));
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(broker);
    try (Connection connection = factory.newConnection("unpaid-order")) {
      Orders orders = new Orders();
      try (DelayedPublisher publisher = new AmqpDelayedPublisher(connection, new ObjectMapper());
          DelayedSubscriber subscriber = open(connection, orders, publisher, timeToPay)) {
        Shop shop = new Shop(orders, publisher, timeToPay);
        // other orders on every run: Carillon knows the messages of the last 24 hours by their ids
        String run = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        String paid = "paid-" + run;
        String unpaid = "unpaid-" + run;
        shop.place(paid);
        shop.place(unpaid);
        shop.pay(paid);
        while (orders.status(unpaid).orElseThrow() == Orders.Status.OPEN) {
          TimeUnit.MILLISECONDS.sleep(100);
        }
        System.out.println("paid: " + orders.status(paid).orElseThrow());
        System.out.println("unpaid: " + orders.status(unpaid).orElseThrow());
      }
    }
  }

  /** Declares what the shop needs, and has messages handled that arrive there. */
  public static DelayedSubscriber open(
      Connection connection, Orders orders, DelayedPublisher publisher, Duration timeToPay)
      throws IOException {
    try {
      Channel channel = connection.createChannel();
      channel.exchangeDeclare(Shop.EXCHANGE, BuiltinExchangeType.TOPIC, true);
      channel.queueDeclare(QUEUE, true, false, false, Map.of());
      channel.queueBind(QUEUE, Shop.EXCHANGE, Shop.CLOSE);
      channel.abort();
    } catch (IOException e) {
      throw new IOException("the shop's exchange and queue cannot be declared", e);
    }
    Shop shop = new Shop(orders, publisher, timeToPay);
    return DelayedSubscriber.on(connection, QUEUE).handle(CloseOrder.class, shop::close).start();
  }
}
