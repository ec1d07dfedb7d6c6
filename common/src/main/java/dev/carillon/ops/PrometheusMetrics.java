package dev.carillon.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/**
 * The events as metrics in Prometheus' text format, under names that begin with {@code carillon_},
 * besides the usual ones of the JVM and the process. The one class that knows the metrics library.
 * Thread-safe.
 */
public final class PrometheusMetrics implements SchedulerMetrics, AutoCloseable {

  /** Media type of {@link #scrape}. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** From hardly noticeable to an outage; most firings are late by a few milliseconds. */
  private static final Duration[] LATENESS_BUCKETS =
      millis(1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000, 300_000);

  private static final Duration[] ATTEMPT_BUCKETS =
      millis(
          1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 120_000, 600_000);

  private static final Duration[] REQUEST_BUCKETS =
      millis(1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics garbageCollection = new JvmGcMetrics();
  private final Set<String> gauges = ConcurrentHashMap.newKeySet();
  private final Counter created = counter("carillon.tasks.accepted", "Tasks created");
  private final Counter canceled = counter("carillon.tasks.canceled", "Tasks called off");
  private final Counter claimsLost =
      counter("carillon.claims.lost", "Attempts that ended after their claim had gone");
  private final Counter notParked =
      counter("carillon.notices.not.parked", "Notices that could not be parked at once");
  private final Counter purged =
      counter("carillon.sub.tasks.purged", "Archived sub-tasks removed after their retention");
  private final Counter setAside =
      counter("carillon.messages.set.aside", "Messages on the work queue that are not notices");
  private final Counter eventsDropped =
      counter("carillon.events.dropped", "Events that the broker did not take in time");
  private final Timer lateness =
      timer(
          "carillon.attempt.lateness",
          "Start of an attempt minus the time it was meant to start",
          LATENESS_BUCKETS);

  public PrometheusMetrics() {
    garbageCollection.bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
  }

  /** All metrics as they are now. */
  public String scrape() {
    return registry.scrape();
  }

  /**
   * Adds a value that is read whenever somebody scrapes.
   *
   * @param name as it appears, for example {@code carillon_clock_offset_seconds}
   * @param value thread-safe, quick, doesn't throw
   * @throws IllegalArgumentException when the name is taken
   */
  public void gauge(String name, String description, DoubleSupplier value) {
    if (!gauges.add(name)) {
      throw new IllegalArgumentException("there is a gauge " + name + " already");
    }
    Gauge.builder(name, value::getAsDouble).description(description).register(registry);
  }

  @Override
  public void taskCreated() {
    created.increment();
  }

  @Override
  public void taskCanceled() {
    canceled.increment();
  }

  @Override
  public void attemptStarted(Duration late) {
    // clocks of two machines differ a little; a timer refuses what is negative with a stack trace
    lateness.record(late.isNegative() ? Duration.ZERO : late);
  }

  @Override
  public void attemptEnded(String outcome, Duration took) {
    Timer.builder("carillon.attempt.duration")
        .description("How long attempts took")
        .serviceLevelObjectives(ATTEMPT_BUCKETS)
        .tag("outcome", outcome)
        .register(registry)
        .record(took.isNegative() ? Duration.ZERO : took); // the clock may have been set back
  }

  @Override
  public void noticeDropped(String why) {
    Counter.builder("carillon.notices.dropped")
        .description("Notices that did not lead to an attempt")
        .tag("reason", why)
        .register(registry)
        .increment();
  }

  @Override
  public void claimLost() {
    claimsLost.increment();
  }

  @Override
  public void notParked() {
    notParked.increment();
  }

  @Override
  public void swept(String why) {
    Counter.builder("carillon.tasks.swept")
        .description("Tasks that a sweep put right")
        .tag("reason", why)
        .register(registry)
        .increment();
  }

  @Override
  public void purged(int count) {
    purged.increment(count);
  }

  @Override
  public void messageParked() {
    setAside.increment();
  }

  @Override
  public void messagesTakenIn(String how, int count) {
    Counter.builder("carillon.ingress.messages")
        .description("Messages of publishers that were taken in")
        .tag("result", how)
        .register(registry)
        .increment(count);
  }

  @Override
  public void eventDropped() {
    eventsDropped.increment();
  }

  @Override
  public void requestAnswered(String method, String route, int status, Duration took) {
    Timer.builder("carillon.http.request.duration")
        .description("How long answers to HTTP requests took")
        .serviceLevelObjectives(REQUEST_BUCKETS)
        .tag("method", method)
        .tag("route", route)
        .tag("status", Integer.toString(status))
        .register(registry)
        .record(took);
  }

  /** Idempotent. */
  @Override
  public void close() {
    garbageCollection.close();
    registry.close();
  }

  private Counter counter(String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  private Timer timer(String name, String description, Duration[] buckets) {
    return Timer.builder(name)
        .description(description)
        .serviceLevelObjectives(buckets)
        .register(registry);
  }

  private static Duration[] millis(long... bounds) {
    Duration[] durations = new Duration[bounds.length];
    for (int i = 0; i < bounds.length; i++) {
      durations[i] = Duration.ofMillis(bounds[i]);
    }
    return durations;
  }
}
