package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PrometheusMetricsTest {

  private final PrometheusMetrics metrics = new PrometheusMetrics();

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void countsEveryEvent() {
    metrics.taskCreated();
    metrics.taskCreated();
    metrics.taskCanceled();
    metrics.claimLost();
    metrics.notParked();
    metrics.purged(7);
    metrics.messageParked();
    metrics.noticeDropped("too-early");
    metrics.swept("lost-worker");

    assertThat(metrics.scrape().lines())
        .contains(
            "carillon_tasks_accepted_total 2.0",
            "carillon_tasks_canceled_total 1.0",
            "carillon_claims_lost_total 1.0",
            "carillon_notices_not_parked_total 1.0",
            "carillon_sub_tasks_purged_total 7.0",
            "carillon_messages_set_aside_total 1.0",
            "carillon_notices_dropped_total{reason=\"too-early\"} 1.0",
            "carillon_tasks_swept_total{reason=\"lost-worker\"} 1.0");
  }

  @Test
  void latenessAndDurationsAreHistogramsInSeconds() {
    metrics.attemptStarted(Duration.ofMillis(4));
    metrics.attemptStarted(Duration.ofMinutes(10));
    metrics.attemptEnded("failed", Duration.ofMillis(1_500));
    metrics.requestAnswered("GET", "/api/tasks/{id}", 404, Duration.ofMillis(3));

    assertThat(metrics.scrape().lines())
        .contains(
            "carillon_attempt_lateness_seconds_bucket{le=\"0.002\"} 0",
            "carillon_attempt_lateness_seconds_bucket{le=\"0.005\"} 1",
            "carillon_attempt_lateness_seconds_bucket{le=\"300.0\"} 1",
            "carillon_attempt_lateness_seconds_bucket{le=\"+Inf\"} 2",
            "carillon_attempt_lateness_seconds_count 2",
            "carillon_attempt_duration_seconds_bucket{outcome=\"failed\",le=\"1.0\"} 0",
            "carillon_attempt_duration_seconds_bucket{outcome=\"failed\",le=\"2.5\"} 1",
            "carillon_http_request_duration_seconds_count{method=\"GET\","
                + "route=\"/api/tasks/{id}\",status=\"404\"} 1");
  }

  @Test
  void countersAreThereBeforeTheFirstEvent() {
    assertThat(metrics.scrape().lines())
        .contains("carillon_tasks_accepted_total 0.0", "carillon_attempt_lateness_seconds_count 0");
  }

  @Test
  void gaugesAreReadWhenScraped() {
    AtomicInteger value = new AtomicInteger(1);
    metrics.gauge("carillon_runs_in_flight", "Attempts that run now", value::get);
    value.set(3);

    assertThat(metrics.scrape().lines()).contains("carillon_runs_in_flight 3.0");
    assertThatThrownBy(() -> metrics.gauge("carillon_runs_in_flight", "Again", () -> 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void jvmAndProcessAreMeasured() {
    assertThat(metrics.scrape())
        .contains("jvm_memory_used_bytes{", "jvm_threads_live_threads ", "process_uptime_seconds ");
  }
}
