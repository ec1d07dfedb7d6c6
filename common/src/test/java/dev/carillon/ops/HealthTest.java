package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class HealthTest {

  private static final Duration LIMIT = Duration.ofMillis(200);
  private static final Duration FRESHNESS = Duration.ofSeconds(1);

  private final AtomicLong nanos = new AtomicLong();

  @Test
  void isUpWhenEveryCheckIs() {
    try (Health health = health(Map.of("store", () -> HealthState.up("answers")))) {
      assertThat(health.report().isUp()).isTrue();
      assertThat(health.report().toJson())
          .isEqualTo(
              "{\"status\":\"UP\",\"checks\":{\"store\":{\"status\":\"UP\","
                  + "\"detail\":\"answers\"}}}");
    }
  }

  @Test
  void oneCheckThatFailsIsEnoughToBeDown() {
    Map<String, HealthCheck> checks = new LinkedHashMap<>();
    checks.put("store", () -> HealthState.up("answers"));
    checks.put(
        "broker",
        () -> {
          throw new IOException("connection refused");
        });
    try (Health health = health(checks)) {
      assertThat(health.report().toJson())
          .isEqualTo(
              "{\"status\":\"DOWN\",\"checks\":{\"store\":{\"status\":\"UP\",\"detail\":\"answers\"},"
                  + "\"broker\":{\"status\":\"DOWN\",\"detail\":\"IOException: connection"
                  + " refused\"}}}");
    }
  }

  @Test
  void aCheckThatHangsIsDownAndIsNotStartedTwice() {
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    HealthCheck hanging =
        () -> {
          runs.incrementAndGet();
          released.await();
          return HealthState.up("at last");
        };
    try (Health health = health(Map.of("store", hanging))) {
      for (int i = 0; i < 3; i++) {
        assertThat(health.report().states())
            .containsEntry("store", HealthState.down("no answer within PT0.2S"));
      }
      assertThat(runs).hasValue(1);
      nanos.addAndGet(LIMIT.toNanos());
      assertThat(health.report().isUp()).as("answers at once when it hangs already").isFalse();

      released.countDown();

      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> health.report().isUp());
      assertThat(runs).hasValue(1);
    }
  }

  @Test
  void resultsAreKeptForAMoment() {
    AtomicInteger runs = new AtomicInteger();
    try (Health health =
        health(Map.of("store", () -> HealthState.up("" + runs.incrementAndGet())))) {
      health.report();
      nanos.addAndGet(FRESHNESS.toNanos() - 1);
      assertThat(health.report().states().get("store").detail()).isEqualTo("1");
      nanos.addAndGet(1);
      assertThat(health.report().states().get("store").detail()).isEqualTo("2");
    }
  }

  @Test
  void isDownWhileItShutsDown() {
    Health health = health(Map.of("store", () -> HealthState.up("answers")));
    health.close();

    assertThat(health.report().states())
        .containsEntry("store", HealthState.down("is shutting down"));
  }

  @Test
  void longDetailsAreCut() {
    assertThat(HealthState.down("x".repeat(1_000)).detail()).hasSize(300).endsWith("…");
  }

  private Health health(Map<String, HealthCheck> checks) {
    return new Health(checks, LIMIT, FRESHNESS, nanos::get);
  }
}
