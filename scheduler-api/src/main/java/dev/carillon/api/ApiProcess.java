package dev.carillon.api;

import dev.carillon.config.CommonSettings;
import dev.carillon.config.EventSettings;
import dev.carillon.config.ProcessGauges;
import dev.carillon.config.ServerChecks;
import dev.carillon.event.ObservedStore;
import dev.carillon.flow.BatchCreation;
import dev.carillon.flow.KeyedTasks;
import dev.carillon.flow.Ports;
import dev.carillon.flow.SubTaskLifecycle;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.mongo.MongoTaskStore;
import dev.carillon.ops.ClockComparison;
import dev.carillon.ops.Environment;
import dev.carillon.ops.Health;
import dev.carillon.ops.HealthCheck;
import dev.carillon.ops.PrometheusMetrics;
import dev.carillon.ops.Shutdown;
import dev.carillon.ops.StoreClock;
import dev.carillon.rabbit.RabbitEvents;
import dev.carillon.rabbit.RabbitQueues;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Chain;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The API as a process of its own, on RabbitMQ and MongoDB: what it is made of, and its life. */
public final class ApiProcess implements AutoCloseable {

  private static final Duration BEYOND_GRACE = Duration.ofSeconds(10);
  private static final String NAME = "carillon-api";

  /** What can be set for the process. */
  public record Settings(CommonSettings common, ApiSettings api, boolean publishesEvents) {

    /** Reads them all. The caller checks the environment. */
    public static Settings read(Environment environment) {
      return new Settings(
          CommonSettings.read(environment),
          ApiSettings.read(environment),
          EventSettings.read(environment));
    }
  }

  private final Shutdown shutdown;
  private final PrometheusMetrics metrics = new PrometheusMetrics();
  private final MongoTaskStore store;
  private final RabbitQueues queues;
  private final Optional<RabbitEvents> events;
  private final StoreClock clock;
  private final Background background;
  private final Health health;
  private final ApiServer server;

  /** Connects to nothing yet. */
  public ApiProcess(Settings settings) {
    CommonSettings common = settings.common();
    this.shutdown = new Shutdown(common.shutdownGrace().plus(BEYOND_GRACE));
    this.store = MongoTaskStore.open(common.mongodb(NAME));
    this.clock = new StoreClock(InstantSource.system(), store::now, common.clockLimit());
    this.background = new Background();
    this.queues = new RabbitQueues(common.rabbit(NAME), clock, metrics, store.queueCensus(NAME));
    this.events =
        settings.publishesEvents()
            ? Optional.of(new RabbitEvents(common.rabbit(NAME), metrics))
            : Optional.empty();
    Ports ports =
        new Ports(
            events.<TaskStore>map(listener -> new ObservedStore(store, listener)).orElse(store),
            store.taskKeys(),
            queues,
            queues.parkedMessages(),
            new Chain(queues, common.chain()),
            clock.whileReliable(),
            metrics);
    SecureRandom random = new SecureRandom();
    TaskLifecycle lifecycle = new TaskLifecycle(ports, random, background);
    KeyedEndpoints keyed = new KeyedEndpoints(new KeyedTasks(lifecycle, ports), clock, random);
    SubTaskLifecycle subTasks = new SubTaskLifecycle(ports, background);
    this.health = new Health(checks());
    this.server =
        new ApiServer(
            new Endpoints(
                new TaskEndpoints(lifecycle, keyed, store, clock),
                keyed,
                new BatchEndpoint(new BatchCreation(ports, random)),
                new SubTaskEndpoints(subTasks, store, clock),
                new ExplainEndpoint(store, queues, clock),
                new ParkedEndpoints(queues.parkedMessages(), subTasks)),
            health,
            metrics,
            MongoTaskStore::isAway,
            settings.api());
    ProcessGauges.add(metrics, clock);
  }

  private Map<String, HealthCheck> checks() {
    Map<String, HealthCheck> checks = new LinkedHashMap<>();
    checks.put("mongodb", ServerChecks.of(store));
    checks.put("rabbitmq", ServerChecks.of(queues));
    checks.put("clock", clock::state);
    return checks;
  }

  /**
   * Starts everything. The broker and the store may come later.
   *
   * @throws RuntimeException when the port cannot be had, or the store refuses its indexes
   */
  public void start() {
    shutdown.onSignal();
    shutdown.add("metrics", metrics);
    shutdown.add("store", store).start();
    shutdown.add("queues", queues).start();
    events.ifPresent(publisher -> shutdown.add("events", publisher).start());
    shutdown.add("clock", new ClockComparison(clock)).start();
    shutdown.add("background work", background);
    shutdown.add("health checks", health);
    shutdown.add("API server", server).start();
  }

  /** The port of the API, once it is started. */
  public int port() {
    return server.port();
  }

  /** Waits until the process is told to stop and has done so. */
  void await() throws InterruptedException {
    shutdown.await();
  }

  /** Stops everything in order. Idempotent. */
  @Override
  public void close() {
    shutdown.close();
  }
}
