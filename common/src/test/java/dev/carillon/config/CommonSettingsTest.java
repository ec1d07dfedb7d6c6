package dev.carillon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.ops.Environment;
import dev.carillon.rabbit.PendingShape;
import dev.carillon.rabbit.PendingShape.Mode;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.task.Chain;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CommonSettingsTest {

  @Test
  void defaults() {
    Environment environment = Environment.of(Map.of());

    CommonSettings settings = CommonSettings.read(environment);

    environment.check();
    assertThat(settings)
        .isEqualTo(
            new CommonSettings(
                "amqp://guest:guest@localhost:5672",
                "mongodb://localhost:27017/carillon",
                "carillon",
                QueueType.QUORUM,
                Duration.ofHours(24),
                PendingShape.DEFAULT,
                Duration.ofMillis(50),
                Chain.Settings.DEFAULT,
                Duration.ofDays(30),
                Duration.ofSeconds(20),
                Duration.ofSeconds(5)));
  }

  @Test
  void allCanBeSet() {
    Environment environment =
        Environment.of(
            Map.ofEntries(
                Map.entry("AMQP_URI", "amqps://u:p@broker/v"),
                Map.entry("MONGODB_URI", "mongodb+srv://u:p@cluster/tasks"),
                Map.entry("AMQP_PREFIX", "blue"),
                Map.entry("WORK_QUEUE_TYPE", "classic"),
                Map.entry("HORIZON", "PT1H"),
                Map.entry("PENDING_QUEUES", "wheel"),
                Map.entry("OWN_QUEUES", "7"),
                Map.entry("OWN_QUEUES_PER_SECOND", "3"),
                Map.entry("WHEEL_SLOTS", "30"),
                Map.entry("WHEEL_SLOT", "PT2S"),
                Map.entry("LEAD", "PT0.1S"),
                Map.entry("GRACE", "PT9S"),
                Map.entry("GENERATED_AHEAD", "7"),
                Map.entry("KEPT_FINISHED", "3"),
                Map.entry("LOST_WORKERS_LIMIT", "2"),
                Map.entry("RETENTION", "P1D"),
                Map.entry("SHUTDOWN_GRACE", "PT0S"),
                Map.entry("CLOCK_LIMIT", "PT2S")));

    CommonSettings settings = CommonSettings.read(environment);

    environment.check();
    assertThat(settings)
        .isEqualTo(
            new CommonSettings(
                "amqps://u:p@broker/v",
                "mongodb+srv://u:p@cluster/tasks",
                "blue",
                QueueType.CLASSIC,
                Duration.ofHours(1),
                new PendingShape(Mode.WHEEL, 7, 3, 30, Duration.ofSeconds(2)),
                Duration.ofMillis(100),
                new Chain.Settings(Duration.ofSeconds(9), 7, 3, 2),
                Duration.ofDays(1),
                Duration.ZERO,
                Duration.ofSeconds(2)));
  }

  @Test
  void whatDoesNotFitTogetherIsAProblem() {
    Environment environment =
        Environment.of(
            Map.of("AMQP_PREFIX", "a b", "HORIZON", "PT1S", "LEAD", "PT1S", "GRACE", "0"));

    CommonSettings.read(environment);

    assertThatThrownBy(environment::check)
        .hasMessageContaining("AMQP_PREFIX: must be 1 to 50")
        .hasMessageContaining("LEAD: must be shorter than HORIZON, which is PT1S")
        .hasMessageContaining("GRACE: \"0\" is not");
  }

  @ParameterizedTest
  @ValueSource(strings = {"amq", "amq.", "amq.carillon"})
  void whatRabbitMqKeepsForItselfIsNoPrefix(String prefix) {
    Environment environment = Environment.of(Map.of("AMQP_PREFIX", prefix));

    CommonSettings.read(environment);

    assertThatThrownBy(environment::check).hasMessageContaining("AMQP_PREFIX: must not be amq");
  }

  @Test
  void addressesWithTheirPasswordsAreNotPrinted() {
    assertThat(CommonSettings.read(Environment.of(Map.of())).toString()).doesNotContain("guest");
  }
}
