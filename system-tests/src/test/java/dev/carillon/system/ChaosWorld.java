package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.carillon.mongo.MongoSettings;
import dev.carillon.mongo.MongoTaskStore;
import dev.carillon.rabbit.PendingShape;
import dev.carillon.store.TaskQuery;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import dev.carillon.testkit.FreePort;
import dev.carillon.testkit.PrivateBroker;
import dev.carillon.testkit.TestBroker;
import dev.carillon.testkit.TestStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * An installation in which everything can be broken: a broker, a store, an API and two workers,
 * each a process. The store of {@code TEST_MONGODB_URI}, if there is one, is left alone.
 */
final class ChaosWorld implements AutoCloseable {

  /** Short, so that what waits for it can be tried often; long enough for a busy machine. */
  static final Duration LEASE = Duration.ofSeconds(5);

  /** What a person would call broken; the aim is {@code 5 s}, and the figures are printed. */
  private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(60);

  /**
   * What was leaving a slot of the wheel when the broker was killed is kept by it for three
   * minutes, waiting for a confirm that does not come, before it is sent on once more.
   */
  private static final Duration CLEAN_LIMIT = Duration.ofMinutes(5);

  private static final String MODE = "PENDING_QUEUES";

  private static final Map<String, String> SETTINGS =
      Map.of(
          "LEASE", LEASE.toString(),
          "GRACE", "PT2S",
          "SWEEP_INTERVAL", "PT0.5S",
          "SHUTDOWN_GRACE", "PT0.3S",
          "WORKER_CONCURRENCY", "16",
          "WORKER_PREFETCH", "16");

  /** In auto mode so few of the notices go to queues of their own, and the others to the wheel. */
  private static final Map<String, String> SMALL_BUDGET =
      Map.of("OWN_QUEUES", "20", "OWN_QUEUES_PER_SECOND", "3");

  private final PrivateBroker broker = TestBroker.startPrivate();
  private final Ledger ledger = new Ledger();
  private final Optional<Service> storeServer;
  private final String storeKind;
  private final MongoTaskStore store;
  private final Service apiServer;
  private final ApiClient api;
  private final List<Service> workers;
  private final List<ApiClient> workerClients;
  private PendingShape.Mode mode;
  private Traffic traffic;

  /**
   * @param folder for the data of the store
   * @param mode what notices wait in at first
   */
  ChaosWorld(Path folder, PendingShape.Mode mode) {
    this.mode = mode;
    String mongodbUri;
    if (System.getenv().getOrDefault("TEST_MONGODB_URI", "").isBlank()) {
      int port = FreePort.next();
      mongodbUri = "mongodb://127.0.0.1:" + port + "/carillon?retryWrites=false";
      storeServer = Optional.of(embeddedStore(port, folder));
      storeServer.get().launch();
      storeKind = "embedded server (mongo-java-server) as a process, not MongoDB";
    } else {
      mongodbUri = TestStore.shared().freshDatabase();
      storeServer = Optional.empty();
      storeKind = TestStore.shared().kind();
    }
    store = MongoTaskStore.open(MongoSettings.of(mongodbUri, "chaos"));
    Map<String, String> variables = new HashMap<>(SETTINGS);
    variables.putAll(SMALL_BUDGET);
    variables.put(MODE, word(mode));
    variables.put("AMQP_URI", broker.uri());
    variables.put("MONGODB_URI", mongodbUri);
    int apiPort = FreePort.next();
    api = new ApiClient(apiPort);
    apiServer =
        service("api", "scheduler-api", variables, Map.of("HTTP_PORT", "" + apiPort), api::isReady);
    int[] ports = {FreePort.next(), FreePort.next()};
    workerClients = List.of(new ApiClient(ports[0]), new ApiClient(ports[1]));
    workers = List.of(worker(0, ports[0], variables), worker(1, ports[1], variables));
    apiServer.launch();
    workers.forEach(Service::launch);
    services().forEach(Service::awaitReady);
  }

  private static String word(PendingShape.Mode mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  /** What notices wait in. */
  PendingShape.Mode mode() {
    return mode;
  }

  /** Has notices wait in something else from now on, as an operator would; returns when it does. */
  void switchTo(PendingShape.Mode other) {
    if (mode == other) {
      return;
    }
    mode = other;
    List<Service> processes = Stream.concat(Stream.of(apiServer), workers.stream()).toList();
    processes.forEach(process -> process.set(MODE, word(other)));
    processes.forEach(Service::terminate);
    processes.forEach(Service::launch);
    processes.forEach(Service::awaitReady);
  }

  private static Service embeddedStore(int port, Path folder) {
    return new Service(
        "store",
        "scheduler-dev",
        Map.of("EMBEDDED_MONGODB_PORT", "" + port, "DATA_DIR", folder.toString()),
        () -> accepts(port),
        "mongo");
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private Service worker(int number, int port, Map<String, String> variables) {
    String name = "worker-" + (number + 1);
    return service(
        name,
        "scheduler-worker",
        variables,
        Map.of("WORKER_NAME", name, "HEALTH_HOST", "127.0.0.1", "HEALTH_PORT", "" + port),
        workerClients.get(number)::isReady);
  }

  private static Service service(
      String name,
      String module,
      Map<String, String> variables,
      Map<String, String> more,
      BooleanSupplier ready) {
    Map<String, String> all = new HashMap<>(variables);
    all.put("HTTP_HOST", "127.0.0.1");
    all.putAll(more);
    return new Service(name, module, all, ready);
  }

  private Stream<Service> services() {
    return Stream.concat(
        storeServer.stream(), Stream.concat(Stream.of(apiServer), workers.stream()));
  }

  /** What is being tested on, for people. */
  String description() {
    return "RabbitMQ: " + broker.description() + "; store: " + storeKind;
  }

  PrivateBroker broker() {
    return broker;
  }

  Ledger ledger() {
    return ledger;
  }

  MongoTaskStore store() {
    return store;
  }

  /** The process of the store, if it may be broken. */
  Optional<Service> storeServer() {
    return storeServer;
  }

  Service apiServer() {
    return apiServer;
  }

  ApiClient api() {
    return api;
  }

  List<Service> workers() {
    return workers;
  }

  /** The processes of Carillon's own, with who can ask them for their metrics. */
  Map<Service, ApiClient> clients() {
    Map<Service, ApiClient> clients = new LinkedHashMap<>();
    clients.put(apiServer, api);
    for (int i = 0; i < workers.size(); i++) {
      clients.put(workers.get(i), workerClients.get(i));
    }
    return clients;
  }

  Traffic traffic() {
    return traffic;
  }

  Traffic startTraffic(String name, Traffic.Kind kind) {
    traffic = new Traffic(api, name, ledger.url(), kind);
    return traffic;
  }

  /** One of the workers, at a moment when it runs something. */
  Service busyWorker(Random random) {
    int number = random.nextInt(workers.size());
    await()
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> workerClients.get(number).metric("carillon_attempts_running") >= 1);
    return workers.get(number);
  }

  /** A metric of all workers that are alive, added up. */
  double metricOfWorkers(String name) {
    return workerClients.stream().mapToDouble(worker -> worker.metric(name)).sum();
  }

  /** How many attempts workers have interrupted since they could not extend the lease in time. */
  long leasesEnded() {
    return workers.stream()
        .mapToLong(worker -> worker.countLines("its lease could not be extended in time"))
        .sum();
  }

  /** Names of all queues that hold a sub-task back: own ones, and the next slots of the wheel. */
  List<String> pendingQueues() {
    return Stream.concat(queues("carillon.pending.").stream(), nextSlots().stream()).toList();
  }

  /** Names of the slots for the next few seconds, which are those that tasks of users are in. */
  List<String> nextSlots() {
    if (mode == PendingShape.Mode.OWN) {
      return List.of();
    }
    PendingShape shape = PendingShape.DEFAULT;
    long second = Instant.now().getEpochSecond();
    return LongStream.range(second + 1, second + 6)
        .mapToObj(
            due ->
                String.format(
                    Locale.ROOT,
                    "carillon.wheel.%dx%d.%02d",
                    shape.slots(),
                    shape.slot().toMillis(),
                    due % shape.slots()))
        .toList();
  }

  /** Names of own queues, and of those that are not empty, with one of the given beginnings. */
  private List<String> queues(String... beginnings) {
    return broker
        .ctl("list_queues", "name", "messages")
        .lines()
        .map(line -> line.split("\t", -1))
        .filter(line -> Stream.of(beginnings).anyMatch(line[0]::startsWith))
        .filter(line -> line[0].startsWith("carillon.pending.") || !line[1].equals("0"))
        .map(line -> line[0])
        .toList();
  }

  /** How many messages all queues of Carillon's have. */
  private int messages() {
    return broker
        .ctl("list_queues", "name", "messages")
        .lines()
        .map(line -> line.split("\t", -1))
        .filter(line -> line[0].startsWith("carillon."))
        .mapToInt(line -> Integer.parseInt(line[1]))
        .sum();
  }

  /** Names of the queues that active tasks will use next, if all goes well until then. */
  List<String> comingPendingQueues() {
    return store
        .list(
            new TaskQuery(
                Optional.of(TaskStatus.ACTIVE),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                1_000))
        .stream()
        .flatMap(task -> task.subTask(task.cursor() + 1).map(next -> queue(task, next)).stream())
        .toList();
  }

  private static String queue(Task task, SubTask next) {
    return String.format(
        Locale.ROOT,
        "carillon.pending.%s.%d.1.%d.%d",
        task.id(),
        next.index(),
        next.runAt().toEpochMilli(),
        task.token() + 1);
  }

  /**
   * Of tasks that have come to their end, nothing is left at the broker soon after.
   *
   * @param forgotten how many own queues may be left although they are empty, since a worker was
   *     killed that was about to delete them; those go by themselves
   */
  void awaitNoQueueLeft(String what, int forgotten) {
    Instant from = Instant.now();
    await()
        .atMost(CLEAN_LIMIT)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              assertThat(queues("carillon."))
                  .as("own queues, or messages, left over: %s", what)
                  .hasSizeLessThanOrEqualTo(forgotten);
              assertThat(messages()).as("messages left over: %s", what).isZero();
            });
    System.out.printf(
        Locale.ROOT,
        "chaos:   nothing was left at the broker after %.1f s%n",
        Duration.between(from, Instant.now()).toMillis() / 1e3);
  }

  /** From now on, the broker is short of memory and takes nothing, or not any more. */
  void setMemoryAlarm(boolean on) {
    broker.ctl("set_vm_memory_high_watermark", on ? "0.00001" : "0.6");
  }

  /** From now on, the broker closes channels on which a delivery waits longer for its answer. */
  void limitDeliveries(Duration timeout) {
    broker.ctl("eval", "application:set_env(rabbit, channel_tick_interval, 500).");
    broker.ctl(
        "eval", "application:set_env(rabbit, consumer_timeout, " + timeout.toMillis() + ").");
    broker.ctl("close_all_connections", "--global", "channels take the limit when they open");
  }

  /** What is done to the broker by hand. */
  interface ByHand<T> {
    T with(Channel channel) throws IOException;
  }

  <T> T byHand(ByHand<T> work) {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setAutomaticRecoveryEnabled(false);
    try {
      factory.setUri(broker.uri());
      try (Connection connection = factory.newConnection("by hand")) {
        return work.with(connection.createChannel());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) {
      throw new IllegalStateException("cannot get at the broker", e);
    }
  }

  /** For as long as a fault lasts. */
  void letPass(Duration time) {
    Instant end = Instant.now().plus(time);
    await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(time.plusSeconds(30))
        .until(() -> !Instant.now().isBefore(end));
  }

  /** Waits until a number of runs have begun from now on; fails when they don't. */
  void awaitRuns(int howMany) {
    int wanted = ledger.begun() + howMany;
    await()
        .atMost(RECOVERY_LIMIT)
        .pollInterval(Duration.ofMillis(3))
        .untilAsserted(
            () -> {
              if (ledger.begun() < wanted) {
                throw new AssertionError("nothing runs; " + tails());
              }
            });
  }

  /** Waits until all workers take notices and something has run again; says how long that took. */
  Duration awaitRecovery(Instant returned) {
    return awaitRecovery(returned, () -> false);
  }

  /**
   * The same.
   *
   * @param isOver whether nothing is left that could run
   */
  Duration awaitRecovery(Instant returned, BooleanSupplier isOver) {
    await()
        .atMost(RECOVERY_LIMIT)
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> {
              boolean runs = ledger.hasRunSince(returned) || isOver.getAsBoolean();
              if (!runs || !workers.stream().allMatch(Service::isReady)) {
                throw new AssertionError("nothing runs; " + tails());
              }
            });
    return Duration.between(returned, Instant.now());
  }

  /** The end of what all processes have printed. */
  String tails() {
    return String.join("\n", services().map(Service::tail).toList());
  }

  @Override
  public void close() {
    workers.forEach(Service::close);
    apiServer.close();
    store.close();
    storeServer.ifPresent(Service::close);
    broker.close();
    ledger.close();
  }
}
