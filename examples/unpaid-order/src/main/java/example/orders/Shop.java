package example.orders;

import dev.carillon.client.DelayedMessage;
import dev.carillon.client.DelayedPublisher;
import dev.carillon.client.ReceivedMessage;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Places orders and takes payments. With each order goes a message that closes it later, under the
 * order's own key; the payment cancels that message. Thread-safe.
 *
 * <p>The cancel is a courtesy: a message that is on its way already finds a paid order, and does
 * nothing. So it does not matter which of them is faster.
 */
public final class Shop {

  /** Where the shop's messages go. */
  public static final String EXCHANGE = "orders";

  /** How messages that close orders are routed. */
  public static final String CLOSE = "order.close";

  private static final Logger log = LoggerFactory.getLogger(Shop.class);

  private final Orders orders;
  private final DelayedPublisher publisher;
  private final Duration timeToPay;

  public Shop(Orders orders, DelayedPublisher publisher, Duration timeToPay) {
    this.orders = orders;
    this.publisher = publisher;
    this.timeToPay = timeToPay;
  }

  /** Places an order. If this fails, it can be called again. */
  public void place(String order) {
    orders.open(order);
    publisher.publish(
        DelayedMessage.of(new CloseOrder(order))
            .to(EXCHANGE, CLOSE)
            .messageId("close:" + order)
            .key(key(order))
            .after(timeToPay)
            .build());
    log.info("order {} is placed, and closed in {} unless it is paid", order, timeToPay);
  }

  /** Takes the payment of an order; false when the order is not open. */
  public boolean pay(String order) {
    if (!orders.pay(order)) {
      return false;
    }
    publisher.cancel(EXCHANGE, key(order));
    log.info("order {} is paid", order);
    return true;
  }

  /** What the message does when its time has come. It may come twice. */
  public void close(CloseOrder message, ReceivedMessage received) {
    if (orders.close(message.order())) {
      log.info("order {} was not paid, and is closed", message.order());
    } else {
      log.info("order {} stays as it is", message.order());
    }
  }

  private static String key(String order) {
    return "order:" + order;
  }
}
