package dev.carillon.worker;

import dev.carillon.ops.PrometheusMetrics;
import dev.carillon.worker.action.TaskHandlers;

/** What every process with a worker in it measures, by the same names. */
public final class WorkerGauges {

  private WorkerGauges() {}

  /** To be called once for each registry. */
  public static void add(PrometheusMetrics metrics, Worker worker, TaskHandlers handlers) {
    metrics.gauge(
        "carillon_handlers_unknown",
        "Attempts that asked for a handler which this worker does not have",
        handlers::unknownCalls);
    metrics.gauge("carillon_attempts_running", "Attempts that run now", worker::runningCount);
  }
}
