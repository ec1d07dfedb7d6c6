package dev.carillon.bench.subject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.carillon.bench.machine.ProcessGroup;
import dev.carillon.bench.measure.StartLine;
import dev.carillon.bench.measure.Starts;
import dev.carillon.bench.process.ChildProcess;
import dev.carillon.bench.process.Servers;
import dev.carillon.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** Carillon: an API and workers from their jars, as an operator would start them. */
public final class CarillonSubject implements Subject {

  /** The setting of its processes that takes the mode. */
  private static final String MODE_VARIABLE = "PENDING_QUEUES";

  private static final String TAKEN_IN = "carillon_ingress_messages_total{";
  private static final String MISSED_RUN_ALL =
      "\"misfire\":\"run-all\",\"misfireGrace\":\"PT24H\",\"action\":{\"type\":\"log\"}";
  private static final int BATCH = 10_000;
  private static final int MANY = 10_000_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final SubjectSettings settings;
  private final Servers servers;
  private final Mode mode;
  private final Starts starts = new Starts();
  private final String vhost;
  private final String database;
  private final Map<String, String> variables = new HashMap<>();
  private final ChildProcess api;
  private final int apiPort;
  private final List<ChildProcess> workers = new ArrayList<>();
  private final List<Integer> workerPorts = new ArrayList<>();
  private volatile boolean knowsModes;

  private CarillonSubject(SubjectSettings settings, Mode mode, Map<String, String> more) {
    this.settings = settings;
    this.servers = settings.servers();
    this.mode = mode;
    this.vhost = servers.broker().freshVhost();
    this.database = "bench_" + UUID.randomUUID().toString().replace("-", "");
    variables.put("AMQP_URI", vhost);
    variables.put("MONGODB_URI", servers.store().database(database));
    variables.put("WORKER_CONCURRENCY", "" + settings.threads());
    variables.put(MODE_VARIABLE, mode.setting());
    variables.putAll(more);
    this.apiPort = FreePort.next();
    Map<String, String> ofApi = new HashMap<>(variables);
    ofApi.putAll(Map.of("HTTP_HOST", "127.0.0.1", "HTTP_PORT", "" + apiPort));
    this.api = start("scheduler-api", ofApi);
  }

  /**
   * Starts it with an empty store and returns when all of its processes are ready.
   *
   * @param workers how many of them
   * @throws UnknownModeException if it has no such mode
   */
  public static CarillonSubject start(SubjectSettings settings, Mode mode, int workers) {
    return start(settings, mode, workers, Map.of());
  }

  /**
   * The same.
   *
   * @param more settings of all processes
   */
  public static CarillonSubject start(
      SubjectSettings settings, Mode mode, int workers, Map<String, String> more) {
    CarillonSubject carillon = new CarillonSubject(settings, mode, more);
    try {
      carillon.api.awaitReady(() -> isReady(carillon.apiPort));
      carillon.requireMode();
      for (int i = 0; i < workers; i++) {
        carillon.addWorker();
      }
      return carillon;
    } catch (RuntimeException e) {
      carillon.close();
      throw e;
    }
  }

  private ChildProcess start(String module, Map<String, String> all) {
    return servers
        .surroundings()
        .startJava(
            module + "-" + mode.setting(),
            List.of(),
            List.of("-jar", servers.jar(module).toString()),
            all,
            this::read);
  }

  private void read(String line) {
    StartLine.parse(line).ifPresent(starts::add);
    if (line.contains(MODE_VARIABLE)) { // among the settings that a process prints at its start
      knowsModes = true;
    }
  }

  private void requireMode() {
    if (mode != Mode.OWN && !knowsModes) {
      throw new UnknownModeException(
          "mode "
              + mode.setting()
              + " is not measured: the processes as built here know no setting "
              + MODE_VARIABLE);
    }
  }

  private void addWorker() {
    int port = FreePort.next();
    Map<String, String> ofWorker = new HashMap<>(variables);
    ofWorker.putAll(
        Map.of(
            "WORKER_NAME", "bench",
            "HEALTH_HOST", "127.0.0.1",
            "HEALTH_PORT", "" + port));
    ChildProcess worker = start("scheduler-worker", ofWorker);
    workers.add(worker);
    workerPorts.add(port);
    worker.awaitReady(() -> isReady(port));
  }

  /** Starts all workers anew; returns the seconds until they are ready, one after the other. */
  public double restartWorkers() {
    int count = workers.size();
    workers.forEach(ChildProcess::close);
    workers.clear();
    workerPorts.clear();
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      addWorker();
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  private static boolean isReady(int port) {
    try {
      return new Http(port).get("/health/ready").status() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  @Override
  public String store() {
    return servers.store().name();
  }

  @Override
  public double create(Jobs jobs, int threads) {
    return createAll(jobs, threads, index -> once(jobs, index));
  }

  private static String once(Jobs jobs, int index) {
    return "{\"name\":\"%s\",\"at\":\"%s\",%s}"
        .formatted(jobs.batch(), jobs.dueAt(index), MISSED_RUN_ALL);
  }

  /** Creates tasks that each fire at the due time of a job, and every second from then on. */
  public double createRecurring(Jobs jobs, int threads) {
    return createAll(
        jobs,
        threads,
        index ->
            "{\"name\":\"%s\",\"startTime\":\"%s\",\"interval\":\"PT1S\",%s}"
                .formatted(jobs.batch(), jobs.dueAt(index), MISSED_RUN_ALL));
  }

  private interface Body {
    String of(int index);
  }

  private double createAll(Jobs jobs, int threads, Body body) {
    AtomicInteger next = new AtomicInteger();
    long begin = System.nanoTime();
    Threads.runAll(
        threads,
        () -> {
          Http http = new Http(apiPort);
          int index = next.getAndIncrement();
          while (index < jobs.count()) {
            post(http, "/api/tasks", body.of(index), 201);
            index = next.getAndIncrement();
          }
        });
    return (System.nanoTime() - begin) / 1e9;
  }

  private String post(Http http, String path, String body, int expected) throws IOException {
    Http.Answer answer = http.post(path, body);
    if (answer.status() != expected) {
      throw new IllegalStateException(
          "POST " + path + " was answered with " + answer + "; " + api.tail());
    }
    return answer.body();
  }

  @Override
  public OptionalDouble createBatch(Jobs jobs) {
    Http http = new Http(apiPort);
    long begin = System.nanoTime();
    try {
      for (int from = 0; from < jobs.count(); from += BATCH) {
        List<String> bodies = new ArrayList<>();
        for (int i = from; i < Math.min(jobs.count(), from + BATCH); i++) {
          bodies.add(once(jobs, i));
        }
        Http.Answer answer = http.post("/api/tasks/batch", "[" + String.join(",", bodies) + "]");
        if (from == 0 && (answer.status() == 404 || answer.status() == 405)) {
          return OptionalDouble.empty();
        }
        requireAllCreated(answer, bodies.size());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return OptionalDouble.of((System.nanoTime() - begin) / 1e9);
  }

  /** Each item has a result of its own, with the status that a single create would have. */
  private static void requireAllCreated(Http.Answer answer, int count) throws IOException {
    int created = 0;
    if (answer.status() / 100 == 2) {
      JsonNode body = JSON.readTree(answer.body());
      JsonNode results = body.isArray() ? body : body.path("results");
      for (JsonNode result : results) {
        if (result.path("status").asInt() == 201) {
          created++;
        }
      }
    }
    if (created != count) {
      String text = answer.body();
      throw new IllegalStateException(
          "%d of %d were created; the batch was answered with %d: %s"
              .formatted(
                  created,
                  count,
                  answer.status(),
                  text.substring(0, Math.min(500, text.length()))));
    }
  }

  /** A publisher of messages that are to be delivered to a target exchange later. */
  public DelayedPublisher publisher(String target, int bodyBytes) {
    return new DelayedPublisher(vhost, "carillon.delay." + target, bodyBytes);
  }

  /** How many messages of publishers the workers have taken in, in whatever way. */
  public long messagesTakenIn() {
    double count = 0;
    for (int port : workerPorts) {
      try {
        count +=
            new Http(port)
                .get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(TAKEN_IN))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return Math.round(count);
  }

  @Override
  public Starts starts() {
    return starts;
  }

  @Override
  public ProcessGroup processes() {
    Map<String, List<Long>> pids = new LinkedHashMap<>();
    pids.put("API", List.of(api.pid()));
    pids.put("worker", workers.stream().map(ChildProcess::pid).toList());
    pids.put("RabbitMQ", servers.broker().pids());
    pids.put("store", servers.store().pids());
    return new ProcessGroup(pids);
  }

  @Override
  public boolean lacksStoreCpu() {
    return servers.store().pids().isEmpty();
  }

  @Override
  public int mostWaiting() {
    return mode == Mode.OWN ? settings.mostQueues() : MANY;
  }

  @Override
  public void requireAlive() {
    api.requireAlive();
    workers.forEach(ChildProcess::requireAlive);
  }

  @Override
  public void close() {
    workers.forEach(ChildProcess::close);
    api.close();
    servers.broker().deleteVhost(vhost);
    servers.store().drop(database);
  }
}
