package dev.carillon.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.config.CommonSettings;
import dev.carillon.ops.ConfigurationException;
import dev.carillon.ops.Environment;
import dev.carillon.ops.Setting;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** The settings of a worker process. */
final class WorkerSettingsTest {

  private static ConfigurationException refused(Map<String, String> variables) {
    Environment environment = Environment.of(variables);
    WorkerProcess.Settings.read(environment);
    return Assertions.catchThrowableOfType(ConfigurationException.class, environment::check);
  }

  @Test
  void defaults() {
    Environment environment = Environment.of(Map.of());

    WorkerProcess.Settings settings = WorkerProcess.Settings.read(environment);

    environment.check();
    assertThat(settings.worker())
        .isEqualTo(
            new WorkerSettings(
                64,
                32,
                1_000,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                Duration.ofDays(30),
                Duration.ofSeconds(20)));
    assertThat(settings.common()).isEqualTo(CommonSettings.read(Environment.of(Map.of())));
    assertThat(settings.healthHost()).isEqualTo("0.0.0.0");
    assertThat(settings.healthPort()).isEqualTo(8081);
  }

  @Test
  void allCanBeSet() {
    Environment environment =
        Environment.of(
            Map.ofEntries(
                Map.entry("WORKER_NAME", "blue"),
                Map.entry("WORKER_CONCURRENCY", "3"),
                Map.entry("WORKER_CONCURRENCY_PER_TASK", "2"),
                Map.entry("WORKER_PREFETCH", "7"),
                Map.entry("LEASE", "PT5S"),
                Map.entry("SWEEP_INTERVAL", "PT0.2S"),
                Map.entry("RETENTION", "PT2M"),
                Map.entry("SHUTDOWN_GRACE", "PT0S"),
                Map.entry("HEALTH_HOST", "127.0.0.1"),
                Map.entry("HEALTH_PORT", "0")));

    WorkerProcess.Settings settings = WorkerProcess.Settings.read(environment);

    environment.check();
    assertThat(settings.name()).startsWith("blue-");
    assertThat(settings.worker())
        .isEqualTo(
            new WorkerSettings(
                3,
                2,
                7,
                Duration.ofSeconds(5),
                Duration.ofMillis(200),
                Duration.ofMinutes(2),
                Duration.ZERO));
    assertThat(settings.healthHost()).isEqualTo("127.0.0.1");
    assertThat(settings.healthPort()).isZero();
  }

  @Test
  void theLimitsThemselvesAreAccepted() {
    Environment environment =
        Environment.of(
            Map.of(
                "WORKER_CONCURRENCY", "10000",
                "WORKER_PREFETCH", "65535",
                "LEASE", "PT1S",
                "SWEEP_INTERVAL", "PT0.05S",
                "HEALTH_PORT", "65535",
                "WORKER_NAME", "x".repeat(100)));

    WorkerProcess.Settings.read(environment);

    environment.check();
  }

  @Test
  void everythingThatIsWrongIsReportedAtOnce() {
    ConfigurationException refused =
        refused(
            Map.ofEntries(
                Map.entry("WORKER_NAME", "x".repeat(101)),
                Map.entry("WORKER_CONCURRENCY", "0"),
                Map.entry("WORKER_PREFETCH", "many"),
                Map.entry("LEASE", "PT0.5S"),
                Map.entry("SWEEP_INTERVAL", "1s"),
                Map.entry("SHUTDOWN_GRACE", "-PT1S"),
                Map.entry("HEALTH_PORT", "65536"),
                Map.entry("AMQP_URI", "amqp://guest:geheim@no host"),
                Map.entry("MONGODB_URI", "mongodb://localhost")));

    assertThat(refused.problems())
        .extracting(problem -> problem.substring(0, problem.indexOf(':')))
        .containsExactlyInAnyOrder(
            "WORKER_NAME",
            "WORKER_CONCURRENCY",
            "WORKER_PREFETCH",
            "LEASE",
            "SWEEP_INTERVAL",
            "SHUTDOWN_GRACE",
            "HEALTH_PORT",
            "AMQP_URI",
            "MONGODB_URI");
    assertThat(refused).hasMessageNotContaining("geheim");
  }

  @Test
  void aPrefetchThatWouldLeaveThreadsIdleIsRefused() {
    assertThat(refused(Map.of("WORKER_CONCURRENCY", "8", "WORKER_PREFETCH", "7")).problems())
        .containsExactly("WORKER_PREFETCH: must not be less than WORKER_CONCURRENCY, which is 8");
    assertThat(refused(Map.of("WORKER_CONCURRENCY", "2000")).problems())
        .as("the default counts as well")
        .hasSize(1);
  }

  @Test
  void everySettingIsDescribed() {
    Environment environment = Environment.of(Map.of());
    WorkerProcess.Settings.read(environment);

    assertThat(environment.settings())
        .extracting(Setting::name)
        .contains(
            "WORKER_NAME",
            "WORKER_CONCURRENCY",
            "WORKER_CONCURRENCY_PER_TASK",
            "WORKER_PREFETCH",
            "LEASE",
            "SWEEP_INTERVAL",
            "HEALTH_HOST",
            "HEALTH_PORT");
    assertThat(environment.settings())
        .allSatisfy(setting -> assertThat(setting.description()).isNotBlank());
  }
}
