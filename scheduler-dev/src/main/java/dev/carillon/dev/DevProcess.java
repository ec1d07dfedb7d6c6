package dev.carillon.dev;

import dev.carillon.api.ApiServer;
import dev.carillon.api.BatchEndpoint;
import dev.carillon.api.Endpoints;
import dev.carillon.api.ExplainEndpoint;
import dev.carillon.api.KeyedEndpoints;
import dev.carillon.api.ParkedEndpoints;
import dev.carillon.api.SubTaskEndpoints;
import dev.carillon.api.TaskEndpoints;
import dev.carillon.config.ProcessGauges;
import dev.carillon.config.ServerChecks;
import dev.carillon.embedded.EmbeddedMongoDb;
import dev.carillon.event.ObservedStore;
import dev.carillon.flow.BatchCreation;
import dev.carillon.flow.KeyedTasks;
import dev.carillon.flow.Ports;
import dev.carillon.flow.SubTaskLifecycle;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.flow.TimelyQueues;
import dev.carillon.mongo.MongoTaskStore;
import dev.carillon.ops.ClockComparison;
import dev.carillon.ops.Health;
import dev.carillon.ops.HealthCheck;
import dev.carillon.ops.HostAndPort;
import dev.carillon.ops.PrometheusMetrics;
import dev.carillon.ops.Shutdown;
import dev.carillon.ops.StoreClock;
import dev.carillon.rabbit.RabbitEvents;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Chain;
import dev.carillon.worker.MessageIngress;
import dev.carillon.worker.Worker;
import dev.carillon.worker.WorkerGauges;
import dev.carillon.worker.action.ActionHandlers;
import dev.carillon.worker.action.CodeHandler;
import dev.carillon.worker.action.HttpHandler;
import dev.carillon.worker.action.LogHandler;
import dev.carillon.worker.action.TaskHandlers;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Everything in one process: the API, a worker, and whatever of the queues and the store is not
 * given as a server.
 */
final class DevProcess implements AutoCloseable {

  private static final Duration BEYOND_GRACE = Duration.ofSeconds(10);

  /** Hosts that are as good as this one's name for itself. */
  private static final Set<String> LOCAL = Set.of("127.0.0.1", "0.0.0.0", "::");

  private static final Executor SOON = CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS);

  private final DevSettings settings;
  private final PrintStream out;
  private final Shutdown shutdown;
  private final PrometheusMetrics metrics = new PrometheusMetrics();
  private TaskHandlers taskHandlers;
  private Health health;
  private ApiServer api;

  /**
   * @param out where the user reads what was started
   */
  DevProcess(DevSettings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
    this.shutdown = new Shutdown(settings.common().shutdownGrace().plus(BEYOND_GRACE));
  }

  /**
   * Starts everything, the needed before the needing, and says so.
   *
   * @throws IOException when the data folder or a port cannot be used
   */
  void start() throws IOException {
    shutdown.onSignal();
    shutdown.add("metrics", metrics);
    out.println("Store:   " + store(settings, shutdown));
    MongoTaskStore store =
        shutdown.add(
            "store client", MongoTaskStore.open(settings.common().mongodb("carillon-dev")));
    store.start();
    StoreClock clock =
        new StoreClock(InstantSource.system(), store::now, settings.common().clockLimit());
    shutdown.add("clock", new ClockComparison(clock)).start();
    DevQueues queues =
        settings.usesBroker()
            ? DevQueues.onRabbitMq(settings.common(), clock, metrics, shutdown)
            : DevQueues.inProcess(clock, shutdown);
    out.println("Queues:  " + queues.description());
    Ports ports =
        new Ports(
            observed(store),
            store.taskKeys(),
            new TimelyQueues(queues.pending(), clock),
            queues.parked(),
            new Chain(queues.pending(), settings.common().chain()),
            clock,
            metrics);
    taskHandlers = shutdown.add("handlers", TaskHandlers.load(settings.handlersFolder()));
    Worker worker = shutdown.add("worker", worker(ports, queues, clock));
    ProcessGauges.add(metrics, clock);
    WorkerGauges.add(metrics, worker, taskHandlers);
    worker.rehearse();
    worker.start();
    out.println("Worker:  " + settings.worker().concurrency() + " sub-tasks at a time");
    Optional<MessageIngress> ingress = ingress(queues, ports.with(clock.whileReliable()));
    Map<String, HealthCheck> checks = checks(store, queues, clock, worker);
    ingress.ifPresent(taking -> checks.put("ingress", taking::state));
    health = shutdown.add("health checks", new Health(checks));
    api = shutdown.add("API", api(ports.with(clock.whileReliable()), clock));
    api.start();
    out.println(
        "API:     http://" + HostAndPort.of(settings.api().host(), api.port()) + "/api/tasks");
  }

  /** Publishes what happens to tasks, if that is wanted and there is a broker. */
  private TaskStore observed(TaskStore store) {
    if (!settings.publishesEvents() || !settings.usesBroker()) {
      return store;
    }
    RabbitEvents events = new RabbitEvents(settings.common().rabbit("carillon-dev"), metrics);
    shutdown.add("events", events).start();
    return new ObservedStore(store, events);
  }

  private Worker worker(Ports ports, DevQueues queues, StoreClock clock) {
    ActionHandlers handlers =
        new ActionHandlers(
            new LogHandler(), new HttpHandler(), queues.amqp(), new CodeHandler(taskHandlers));
    String name = "dev-" + ProcessHandle.current().pid() + "-" + System.currentTimeMillis();
    return new Worker(ports, queues.work(), handlers, clock, settings.worker(), name);
  }

  private Optional<MessageIngress> ingress(DevQueues queues, Ports ports) {
    Optional<MessageIngress> ingress =
        queues
            .broker()
            .filter(broker -> !settings.ingressExchanges().isEmpty())
            .map(broker -> new MessageIngress(settings.ingressExchanges(), broker, ports));
    ingress.ifPresent(taking -> shutdown.add("ingress", taking).start());
    return ingress;
  }

  private ApiServer api(Ports ports, StoreClock clock) {
    SecureRandom random = new SecureRandom();
    TaskLifecycle lifecycle = new TaskLifecycle(ports, random, SOON);
    KeyedEndpoints keyed = new KeyedEndpoints(new KeyedTasks(lifecycle, ports), clock, random);
    SubTaskLifecycle subTasks = new SubTaskLifecycle(ports, SOON);
    Endpoints endpoints =
        new Endpoints(
            new TaskEndpoints(lifecycle, keyed, ports.store(), clock),
            keyed,
            new BatchEndpoint(new BatchCreation(ports, random)),
            new SubTaskEndpoints(subTasks, ports.store(), clock),
            new ExplainEndpoint(ports.store(), ports.pending(), clock),
            new ParkedEndpoints(ports.parked(), subTasks));
    return new ApiServer(endpoints, health, metrics, MongoTaskStore::isAway, settings.api());
  }

  /** By the names that the processes have for what is a server of its own. */
  private Map<String, HealthCheck> checks(
      MongoTaskStore store, DevQueues queues, StoreClock clock, Worker worker) {
    Map<String, HealthCheck> checks = new LinkedHashMap<>();
    checks.put(settings.usesStore() ? "mongodb" : "store", ServerChecks.of(store));
    checks.put(settings.usesBroker() ? "rabbitmq" : "queues", queues.check());
    checks.put("clock", clock::state);
    checks.put("consumer", worker::consumerState);
    checks.put("handlers", taskHandlers::state);
    return checks;
  }

  private static String store(DevSettings settings, Shutdown shutdown) throws IOException {
    return settings.usesStore()
        ? settings.common().mongodb("carillon-dev").address()
        : startEmbeddedStore(settings, shutdown);
  }

  private static EmbeddedMongoDb embeddedStore(DevSettings settings) throws IOException {
    try {
      return EmbeddedMongoDb.start("127.0.0.1", settings.mongodbPort(), settings.dataFolder());
    } catch (FileSystemException unusable) {
      throw new IOException(
          "the data folder %s, as DATA_DIR says, cannot be used".formatted(settings.dataFolder()),
          unusable);
    }
  }

  /** Starts the embedded store; answers what it is, for people. */
  static String startEmbeddedStore(DevSettings settings, Shutdown shutdown) throws IOException {
    EmbeddedMongoDb store = embeddedStore(settings);
    shutdown.add("embedded store", store);
    return "mongodb://127.0.0.1:%d/carillon (embedded, not MongoDB), data in %s"
        .formatted(store.port(), settings.dataFolder());
  }

  /** Waits until everything that is needed is there, and says what is missing meanwhile. */
  void awaitReady() throws InterruptedException {
    boolean told = false;
    while (!health.report().isUp()) {
      if (!told) {
        out.println("Waiting: " + health.report().toJson());
        told = true;
      }
      Thread.sleep(200);
    }
    out.println("Ready: http://" + HostAndPort.of(reachableHost(), api.port()));
  }

  /** Where a browser on this machine finds the API. */
  private String reachableHost() {
    String host = settings.api().host();
    return LOCAL.contains(host) ? "localhost" : host;
  }

  /** Waits until the process is told to stop and has done so. */
  void await() throws InterruptedException {
    shutdown.await();
  }

  @Override
  public void close() {
    shutdown.close();
  }
}
