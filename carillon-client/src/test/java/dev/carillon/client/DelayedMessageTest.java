package dev.carillon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DelayedMessageTest {

  private static DelayedMessage.Builder order() {
    return DelayedMessage.of(new Order(1, "n")).to("orders", "order.close");
  }

  @Test
  void isCalledAfterItsClassUnlessItIsToldOtherwise() {
    assertThat(order().build().type()).isEqualTo("Order");
    assertThat(order().type("CloseOrder").build().type()).isEqualTo("CloseOrder");
  }

  @Test
  void twoMessagesAreNeverTheSame() {
    assertThat(order().build().messageId()).isNotEqualTo(order().build().messageId());
  }

  @Test
  void theLastTimeThatIsGivenCounts() {
    Instant instant = Instant.parse("2027-01-04T08:00:00Z");

    assertThat(order().at(instant).after(Duration.ofSeconds(90)).build().schedule())
        .isEqualTo(Map.of("delay", "PT1M30S"));
    assertThat(order().every(Duration.ofHours(1)).at(instant).build().schedule())
        .isEqualTo(Map.of("at", "2027-01-04T08:00:00Z"));
    assertThat(order().build().schedule()).isEmpty();
  }

  @Test
  void whatComesAgainCanBeLimited() {
    DelayedMessage message = order().times(3).every(Duration.ofHours(1)).build();

    assertThat(message.schedule()).isEqualTo(Map.of("interval", "PT1H", "maxRuns", 3));
    assertThat(message.isRecurring()).isTrue();
    assertThat(order().cron("0 8 * * 1").build().isRecurring()).isTrue();
    assertThat(order().after(Duration.ZERO).build().isRecurring()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "ä", "-a", "a/b"})
  void aKeyThatIsNoneIsRefusedAtOnce(String key) {
    assertThatThrownBy(() -> order().key(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("letters, digits");
    assertThat(order().key("order:17").build().key()).contains("order:17");
  }

  @Test
  void nothingIsDueInThePast() {
    assertThatThrownBy(() -> order().after(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
