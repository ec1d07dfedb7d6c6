package dev.carillon.worker;

import dev.carillon.config.CommonSettings;
import dev.carillon.config.EventSettings;
import dev.carillon.config.IngressSettings;
import dev.carillon.config.ProcessGauges;
import dev.carillon.config.ServerChecks;
import dev.carillon.event.ObservedStore;
import dev.carillon.flow.Ports;
import dev.carillon.flow.TimelyQueues;
import dev.carillon.mongo.MongoTaskStore;
import dev.carillon.ops.ClockComparison;
import dev.carillon.ops.Environment;
import dev.carillon.ops.Health;
import dev.carillon.ops.HealthCheck;
import dev.carillon.ops.OpsServer;
import dev.carillon.ops.PrometheusMetrics;
import dev.carillon.ops.Shutdown;
import dev.carillon.ops.StoreClock;
import dev.carillon.rabbit.RabbitEvents;
import dev.carillon.rabbit.RabbitQueues;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Chain;
import dev.carillon.worker.action.ActionHandlers;
import dev.carillon.worker.action.AmqpHandler;
import dev.carillon.worker.action.CodeHandler;
import dev.carillon.worker.action.HttpHandler;
import dev.carillon.worker.action.LogHandler;
import dev.carillon.worker.action.TaskHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker as a process of its own, on RabbitMQ and MongoDB: what it is made of, and its life. */
public final class WorkerProcess implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WorkerProcess.class);
  private static final Duration BEYOND_GRACE = Duration.ofSeconds(10);

  /**
   * What can be set for the process.
   *
   * @param name shown with each sub-task that it runs
   * @param handlersFolder jars with handlers; it need not be there
   * @param ingressExchanges for which messages are taken in that are to be delivered later
   * @param healthHost where health and metrics are served
   * @param healthPort 0 for any free port
   */
  public record Settings(
      String name,
      CommonSettings common,
      WorkerSettings worker,
      Path handlersFolder,
      boolean publishesEvents,
      List<String> ingressExchanges,
      String healthHost,
      int healthPort) {

    /** Reads them all. The caller checks the environment. */
    public static Settings read(Environment environment) {
      CommonSettings common = CommonSettings.read(environment);
      return new Settings(
          WorkerName.read(environment),
          common,
          WorkerSettings.read(environment, common),
          HandlersFolder.read(environment),
          EventSettings.read(environment),
          IngressSettings.read(environment),
          environment.text("HEALTH_HOST", "0.0.0.0", "Where a worker serves health and metrics"),
          environment.wholeNumber(
              "HEALTH_PORT", 8081, 0, 65_535, "Port of a worker's health and metrics"));
    }
  }

  private final Settings settings;
  private final Shutdown shutdown;
  private final MongoTaskStore store;
  private final StoreClock clock;
  private final PrometheusMetrics metrics = new PrometheusMetrics();
  private final RabbitQueues queues;
  private final Optional<RabbitEvents> events;
  private final TaskHandlers taskHandlers;
  private final Worker worker;
  private final Optional<MessageIngress> ingress;
  private final Health health;
  private final OpsServer opsServer;

  public WorkerProcess(Settings settings) {
    this.settings = settings;
    CommonSettings common = settings.common();
    String process = "carillon-worker " + settings.name();
    this.shutdown = new Shutdown(common.shutdownGrace().plus(BEYOND_GRACE));
    this.store = MongoTaskStore.open(common.mongodb(process));
    this.clock = new StoreClock(InstantSource.system(), store::now, common.clockLimit());
    this.queues =
        new RabbitQueues(
            common.rabbit(process), clock, metrics, store.queueCensus(settings.name()));
    this.events =
        settings.publishesEvents()
            ? Optional.of(new RabbitEvents(common.rabbit(process), metrics))
            : Optional.empty();
    Ports ports =
        new Ports(
            events.<TaskStore>map(listener -> new ObservedStore(store, listener)).orElse(store),
            store.taskKeys(),
            new TimelyQueues(queues, clock),
            queues.parkedMessages(),
            new Chain(queues, common.chain()),
            clock,
            metrics);
    this.taskHandlers = TaskHandlers.load(settings.handlersFolder());
    ActionHandlers handlers =
        new ActionHandlers(
            new LogHandler(),
            new HttpHandler(),
            new AmqpHandler(queues::messagePublisher),
            new CodeHandler(taskHandlers));
    this.worker = new Worker(ports, queues, handlers, clock, settings.worker(), settings.name());
    this.ingress =
        settings.ingressExchanges().isEmpty()
            ? Optional.empty()
            : Optional.of(
                new MessageIngress(
                    settings.ingressExchanges(), queues, ports.with(clock.whileReliable())));
    this.health = new Health(checks());
    this.opsServer = new OpsServer(health, metrics, settings.healthHost(), settings.healthPort());
    ProcessGauges.add(metrics, clock);
    WorkerGauges.add(metrics, worker, taskHandlers);
  }

  private Map<String, HealthCheck> checks() {
    Map<String, HealthCheck> checks = new LinkedHashMap<>();
    checks.put("mongodb", ServerChecks.of(store));
    checks.put("rabbitmq", ServerChecks.of(queues));
    checks.put("clock", clock::state);
    checks.put("consumer", worker::consumerState);
    checks.put("handlers", taskHandlers::state);
    ingress.ifPresent(taking -> checks.put("ingress", taking::state));
    return checks;
  }

  /**
   * Starts everything. The broker and the store may come later. If it throws, what has been started
   * is to be closed.
   *
   * @throws RuntimeException when the port cannot be had, or the store refuses its indexes
   */
  public void start() {
    shutdown.onSignal();
    shutdown.add("metrics", metrics);
    shutdown.add("store", store);
    shutdown.add("queues", queues);
    shutdown.add("handlers", taskHandlers);
    shutdown.add("health checks", health);
    shutdown.add("health server", opsServer);
    opsServer.start(); // first: who asks is told what is not there yet
    queues.start();
    queues.messagePublisher(); // connects: the first message would not wait for it
    events.ifPresent(publisher -> shutdown.add("events", publisher).start());
    store.start();
    shutdown.add("clock", new ClockComparison(clock)).start();
    worker.rehearse();
    shutdown.add("worker", worker).start();
    ingress.ifPresent(taking -> shutdown.add("ingress", taking).start());
    log.info("worker {} has started", settings.name());
  }

  /** The port of health and metrics, once it is started. */
  public int healthPort() {
    return opsServer.port();
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
