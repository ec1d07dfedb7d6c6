package dev.carillon.api;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.carillon.flow.BatchCreation;
import dev.carillon.flow.KeyedTasks;
import dev.carillon.flow.Ports;
import dev.carillon.flow.SubTaskLifecycle;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.inprocess.InProcessBroker;
import dev.carillon.inprocess.InProcessQueues;
import dev.carillon.ops.Health;
import dev.carillon.ops.HealthState;
import dev.carillon.ops.PrometheusMetrics;
import dev.carillon.queue.Notice;
import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.ClaimAnswer.Open;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/** The API as it is served, in front of a store in memory and queues in the process. */
final class RunningApi implements AutoCloseable {

  static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");
  static final ApiSettings SETTINGS = new ApiSettings("127.0.0.1", 0, 32, Duration.ofSeconds(10));

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  final SettableClock clock = new SettableClock(NOW);
  final MemoryTaskStore memory = new MemoryTaskStore(clock);
  final FaultyStore store = new FaultyStore(memory);
  final AtomicReference<HealthState> storeHealth = new AtomicReference<>(HealthState.up("answers"));
  final PrometheusMetrics metrics = new PrometheusMetrics();
  final InProcessBroker broker = new InProcessBroker(Duration.ofHours(1), 10_000, clock);
  final InProcessQueues queues = broker.connect();
  final FaultyParkedMessages parked = new FaultyParkedMessages(broker.parkedMessages());
  final HttpClient client = HttpClient.newHttpClient();

  /** What the API decides by; replaced by one that cannot be relied on. */
  volatile InstantSource deciding = clock;

  private final Health health = new Health(Map.of("store", storeHealth::get));
  private final Chain chain;
  private final ApiServer server;

  RunningApi() {
    this(SETTINGS, Chain.Settings.DEFAULT);
  }

  RunningApi(ApiSettings settings, Chain.Settings chainSettings) {
    chain = new Chain(queues, chainSettings);
    Ports ports =
        new Ports(
            store,
            new MemoryTaskKeys(),
            queues,
            broker.parkedMessages(),
            chain,
            () -> deciding.instant(),
            metrics);
    TaskLifecycle lifecycle = new TaskLifecycle(ports, new Random(1), Runnable::run);
    SubTaskLifecycle subTasks = new SubTaskLifecycle(ports, Runnable::run);
    KeyedEndpoints keyed =
        new KeyedEndpoints(new KeyedTasks(lifecycle, ports), clock, new Random(2));
    server =
        new ApiServer(
            new Endpoints(
                new TaskEndpoints(lifecycle, keyed, store, clock),
                keyed,
                new BatchEndpoint(new BatchCreation(ports, new Random(3))),
                new SubTaskEndpoints(subTasks, store, clock),
                new ExplainEndpoint(store, queues, clock),
                new ParkedEndpoints(parked, subTasks)),
            health,
            metrics,
            FaultyStore.AwayException.class::isInstance,
            settings);
    server.start();
  }

  int port() {
    return server.port();
  }

  @Override
  public void close() {
    server.close();
    health.close();
    queues.close();
    broker.close();
    metrics.close();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .timeout(Duration.ofSeconds(30));
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path).build());
  }

  HttpResponse<String> delete(String path) throws IOException, InterruptedException {
    return send(request(path).DELETE().build());
  }

  /** Without a body. */
  HttpResponse<String> postTo(String path) throws IOException, InterruptedException {
    return send(request(path).POST(BodyPublishers.noBody()).build());
  }

  HttpResponse<String> postTo(String path, String json) throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build());
  }

  HttpResponse<String> post(String json) throws IOException, InterruptedException {
    return send(
        request("/api/tasks")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build());
  }

  /** Creates a task that fires once a minute, so often or without end. */
  JsonNode create(String name, int firings) throws IOException, InterruptedException {
    String end = firings > 0 ? ", \"endTime\": \"" + NOW.plusSeconds(60L * firings) + "\"" : "";
    HttpResponse<String> answer =
        post("{\"name\": \"" + name + "\", \"interval\": 1, \"tags\": [\"t\"]" + end + "}");
    if (answer.statusCode() != 201) {
      throw new AssertionError(answer.body());
    }
    return json(answer);
  }

  /** Starts the live sub-task at the time it is meant to, or now if that is later. */
  Won start(TaskId id) {
    Task task = memory.find(id).orElseThrow();
    Notice notice = Notice.of(task).orElseGet(() -> armed(task));
    if (clock.instant().isBefore(notice.runAt())) {
      clock.advance(Duration.between(clock.instant(), notice.runAt()));
    }
    List<ClaimRequest> requests = List.of(new ClaimRequest(notice, "worker-1", "claim"));
    ClaimAnswer answer = memory.claim(requests, clock.instant(), Duration.ofMinutes(1)).get(0);
    return answer instanceof Open open ? begin(open.task(), requests.get(0).claim()) : (Won) answer;
  }

  private Won begin(Task task, Claim claim) {
    Instant now = clock.instant();
    Task begun = chain.begin(task, claim, now, now.plusSeconds(60));
    memory.exchange(List.of(new Exchange(task, begun)));
    return new Won(begun, claim);
  }

  private Notice armed(Task task) {
    clock.advance(Duration.between(clock.instant(), task.wakeAt().orElseThrow()));
    Task woken = chain.wake(task, clock.instant());
    memory.exchange(List.of(new Exchange(task, woken)));
    return Notice.of(woken).orElseThrow();
  }

  void complete(Won won, Outcome outcome) {
    Task after = chain.complete(won.task(), won.claim(), outcome, clock.instant());
    memory.exchange(List.of(new Exchange(won.task(), after)));
  }

  /** Runs the next sub-tasks of a task with success. */
  void fire(TaskId id, int times) {
    for (int i = 0; i < times; i++) {
      complete(start(id), new Outcome.Succeeded());
    }
  }

  static TaskId idOf(JsonNode task) {
    return new TaskId(task.get("id").asText());
  }

  static JsonNode json(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body());
  }
}
