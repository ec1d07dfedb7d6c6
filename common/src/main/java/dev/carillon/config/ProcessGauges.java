package dev.carillon.config;

import dev.carillon.ops.PrometheusMetrics;
import dev.carillon.ops.StoreClock;

/** What every process measures of itself, by the same names. */
public final class ProcessGauges {

  private ProcessGauges() {}

  /** To be called once for each registry. */
  public static void add(PrometheusMetrics metrics, StoreClock clock) {
    metrics.gauge(
        "carillon_clock_offset_seconds",
        "What is added to the local clock to agree with the store's",
        () -> clock.offset().toMillis() / 1e3);
  }
}
