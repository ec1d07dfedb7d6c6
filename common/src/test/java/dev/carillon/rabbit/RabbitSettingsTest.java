package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.rabbit.PendingShape.Mode;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RabbitSettingsTest {

  private static final RabbitSettings SETTINGS =
      RabbitSettings.of(URI.create("amqps://anna:geheim@broker:5671/prod"), "carillon test");

  @Test
  void defaults() {
    assertThat(SETTINGS.prefix()).isEqualTo("carillon");
    assertThat(SETTINGS.workQueueType()).isEqualTo(QueueType.QUORUM);
    assertThat(SETTINGS.lead()).isEqualTo(Duration.ofMillis(50));
    assertThat(SETTINGS.horizon()).isEqualTo(Duration.ofHours(24));
    assertThat(SETTINGS.shape())
        .isEqualTo(new PendingShape(Mode.AUTO, 1_000, 25, 64, Duration.ofSeconds(1)));
    assertThat(SETTINGS.confirmDeadline()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void eachCanBeSet() {
    RabbitSettings set =
        SETTINGS
            .withPrefix("other")
            .withWorkQueueType(QueueType.CLASSIC)
            .withLead(Duration.ofMillis(1))
            .withHorizon(Duration.ofHours(2))
            .withShape(PendingShape.DEFAULT.withMode(Mode.WHEEL))
            .withConfirmDeadline(Duration.ofSeconds(3));
    assertThat(set)
        .isEqualTo(
            new RabbitSettings(
                SETTINGS.uri(),
                "carillon test",
                "other",
                QueueType.CLASSIC,
                Duration.ofMillis(1),
                Duration.ofHours(2),
                new PendingShape(Mode.WHEEL, 1_000, 25, 64, Duration.ofSeconds(1)),
                Duration.ofSeconds(3)));
  }

  @Test
  void thePasswordIsNotShown() {
    assertThat(SETTINGS.toString()).contains("amqps://broker:5671/prod").doesNotContain("geheim");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "amqp://anna:ge:heim@broker/x",
        "amqp://anna:ge%40heim@broker",
        "amqp://anna:ge_heim@bro_ker:5672" // no host name as far as a URI is concerned
      })
  void noPasswordIsShown(String uri) {
    assertThat(RabbitSettings.of(URI.create(uri), "test").maskedUri())
        .doesNotContain("heim")
        .contains("bro");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://anna:geheim@broker", "broker", "//broker"})
  void theUriMustBeOfABroker(String uri) {
    assertThatThrownBy(() -> RabbitSettings.of(URI.create(uri), "test"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("amqp://")
        .hasMessageNotContaining("geheim");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "amq", "amq.x", "ä", "a b", "a/b"})
  void prefixesAreWhatABrokerTakes(String prefix) {
    assertThatThrownBy(() -> SETTINGS.withPrefix(prefix))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("prefix");
  }

  @Test
  void prefixesAreLimited() {
    assertThat(SETTINGS.withPrefix("x".repeat(100)).prefix()).hasSize(100);
    assertThatThrownBy(() -> SETTINGS.withPrefix("x".repeat(101)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void timesMustMakeSense() {
    assertThatThrownBy(() -> SETTINGS.withLead(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SETTINGS.withHorizon(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SETTINGS.withConfirmDeadline(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(SETTINGS.withLead(Duration.ZERO).lead()).isZero();
  }
}
