package example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.client.DelayedMessage;
import dev.carillon.client.DelayedPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ShopTest {

  private final Orders orders = new Orders();
  private final Notebook published = new Notebook();
  private final Shop shop = new Shop(orders, published, Duration.ofMinutes(30));

  /** Writes down what is published. */
  private static final class Notebook implements DelayedPublisher {
    private final List<DelayedMessage> messages = new ArrayList<>();
    private final List<String> canceled = new ArrayList<>();

    @Override
    public void publish(Collection<DelayedMessage> some) {
      messages.addAll(some);
    }

    @Override
    public void cancel(String exchange, String key) {
      canceled.add(exchange + " " + key);
    }

    @Override
    public void close() {
      messages.clear();
    }
  }

  @Test
  void anOrderGoesWithAMessageUnderItsKey() {
    shop.place("17");

    assertThat(published.messages).hasSize(1);
    DelayedMessage message = published.messages.get(0);
    assertThat(message.payload()).isEqualTo(new CloseOrder("17"));
    assertThat(message.key()).contains("order:17");
    assertThat(message.exchange()).isEqualTo("orders");
  }

  @Test
  void aPaymentCancelsTheMessage() {
    shop.place("17");

    assertThat(shop.pay("17")).isTrue();
    assertThat(shop.pay("17")).isFalse();

    assertThat(published.canceled).containsExactly("orders order:17");
  }

  @Test
  void aMessageClosesAnOrderThatIsNotPaidOnly() {
    shop.place("17");
    shop.place("18");
    shop.pay("18");

    shop.close(new CloseOrder("17"), null);
    shop.close(new CloseOrder("17"), null);
    shop.close(new CloseOrder("18"), null);

    assertThat(orders.status("17")).contains(Orders.Status.CLOSED);
    assertThat(orders.status("18")).contains(Orders.Status.PAID);
    assertThat(shop.pay("17")).isFalse();
  }
}
