package dev.carillon.worker;

import static dev.carillon.worker.Running.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.carillon.config.CommonSettings;
import dev.carillon.flow.Ports;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.form.Form;
import dev.carillon.mongo.Line;
import dev.carillon.mongo.MongoTaskStore;
import dev.carillon.ops.Environment;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.rabbit.RabbitQueues;
import dev.carillon.schedule.ScheduleReader;
import dev.carillon.task.Action;
import dev.carillon.task.Chain;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskStatus;
import dev.carillon.testkit.TestBroker;
import dev.carillon.testkit.TestStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker as a process has it, between a real broker and a store behind lines that can be cut. */
@Timeout(180) // what hangs has failed
final class WorkerProcessIT {

  private final HttpClient client = HttpClient.newHttpClient();
  private Line toBroker;
  private Line toStore;
  private Map<String, String> variables;
  private WorkerProcess worker;

  @BeforeEach
  void layLines() throws IOException {
    URI broker = URI.create(TestBroker.shared().freshVhost());
    toBroker = new Line(broker.getPort());
    String store = TestStore.shared().freshDatabase();
    int storePort = Integer.parseInt(store.replaceFirst(".*:(\\d+)/.*", "$1"));
    toStore = new Line(storePort);
    variables =
        new HashMap<>(
            Map.of(
                "AMQP_URI",
                broker.toString().replace(":" + broker.getPort(), ":" + toBroker.port()),
                "MONGODB_URI",
                directly(store.replace(":" + storePort, ":" + toStore.port())),
                "AMQP_PREFIX",
                "test-" + UUID.randomUUID(),
                "WORKER_NAME",
                "tested",
                "HEALTH_HOST",
                "127.0.0.1",
                "HEALTH_PORT",
                "0"));
  }

  /** Or else a replica set would tell where it really is. */
  private static String directly(String uri) {
    return uri + (uri.contains("?") ? "&" : "?") + "directConnection=true";
  }

  @AfterEach
  void stop() throws IOException {
    if (worker != null) {
      worker.close();
    }
    toBroker.close();
    toStore.close();
  }

  private CommonSettings commonSettings() {
    Environment environment = Environment.of(variables);
    CommonSettings common = CommonSettings.read(environment);
    environment.check();
    return common;
  }

  private void newWorker() {
    Environment environment = Environment.of(variables);
    WorkerProcess.Settings settings = WorkerProcess.Settings.read(environment);
    environment.check();
    worker = new WorkerProcess(settings);
  }

  private void startConnected() throws IOException {
    toBroker.connect();
    toStore.connect();
    newWorker();
    worker.start();
    soon().until(() -> ready().statusCode() == 200);
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + worker.healthPort() + path);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> ready() throws IOException, InterruptedException {
    return get("/health/ready");
  }

  /** The states of what is needed, as the worker tells them. */
  private Map<String, String> health() throws IOException, InterruptedException {
    JsonNode checks = new ObjectMapper().readTree(ready().body()).get("checks");
    Map<String, String> states = new HashMap<>();
    checks.properties().forEach(check -> states.put(check.getKey(), status(check.getValue())));
    return states;
  }

  private static String status(JsonNode check) {
    return check.get("status").asText();
  }

  /** What an API does, over connections of its own. */
  private final class Api implements AutoCloseable {
    private final MongoTaskStore store = MongoTaskStore.open(commonSettings().mongodb("test"));
    private final RabbitQueues queues =
        new RabbitQueues(
            commonSettings().rabbit("test"), InstantSource.system(), SchedulerMetrics.NONE);
    private final TaskLifecycle lifecycle =
        new TaskLifecycle(
            new Ports(
                store,
                store.taskKeys(),
                queues,
                queues.parkedMessages(),
                new Chain(queues, commonSettings().chain()),
                InstantSource.system(),
                SchedulerMetrics.NONE),
            new Random(),
            later -> {});

    Api() {
      queues.start();
      soon().until(queues::isAvailable);
    }

    Task create(Action action, int times) {
      Form form = Form.of(Map.of("interval", "PT1S", "maxRuns", times));
      TaskDefinition definition =
          TaskDefinition.builder(
                  "task", ScheduleReader.readNew(form, store.now()).orElseThrow(), action)
              .build();
      return lifecycle.create(definition).orElseThrow();
    }

    Task find(Task task) {
      return store.find(task.id()).orElseThrow();
    }

    SubTask first(Task task) {
      return find(task).subTask(0).orElseThrow();
    }

    @Override
    public void close() {
      queues.close();
      store.close();
    }
  }

  @Test
  void aTargetExchangeThatDoesNotExistIsToldAndTheWorkerIsInServiceAllTheSame() throws Exception {
    variables.put("INGRESS_EXCHANGES", "amq.topic,nowhere");
    startConnected();

    soon()
        .untilAsserted(
            () -> {
              JsonNode ingress =
                  new ObjectMapper().readTree(ready().body()).get("checks").get("ingress");
              assertThat(status(ingress)).isEqualTo("UP");
              assertThat(ingress.get("detail").asText())
                  .isEqualTo(
                      "RabbitMQ has no exchange nowhere: what is due there fails until it is"
                          + " declared; takes in messages for amq.topic, nowhere");
            });
    assertThat(ready().statusCode()).isEqualTo(200);
  }

  @Test
  void startsWithoutBrokerAndStoreSaysSoAndBecomesReadyWhenTheyCome() throws Exception {
    newWorker();
    Thread starting = new Thread(worker::start);
    starting.start();

    soon()
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(health())
                    .isEqualTo(
                        Map.of(
                            "mongodb",
                            "DOWN",
                            "rabbitmq",
                            "DOWN",
                            "clock",
                            "DOWN",
                            "consumer",
                            "DOWN",
                            "handlers",
                            "UP")));
    assertThat(ready().statusCode()).isEqualTo(503);
    assertThat(get("/health/live").statusCode()).isEqualTo(200);
    starting.join();

    toStore.connect();
    soon()
        .untilAsserted(
            () ->
                assertThat(health())
                    .isEqualTo(
                        Map.of(
                            "mongodb",
                            "UP",
                            "rabbitmq",
                            "DOWN",
                            "clock",
                            "UP",
                            "consumer",
                            "DOWN",
                            "handlers",
                            "UP")));

    toBroker.connect();
    soon().until(() -> ready().statusCode() == 200);

    toBroker.cut();
    soon()
        .untilAsserted(
            () ->
                assertThat(health())
                    .isEqualTo(
                        Map.of(
                            "mongodb",
                            "UP",
                            "rabbitmq",
                            "DOWN",
                            "clock",
                            "UP",
                            "consumer",
                            "DOWN",
                            "handlers",
                            "UP")));
    toBroker.connect();
    soon().until(() -> ready().statusCode() == 200);
  }

  @Test
  void runsTasksAndMeasuresThem() throws Exception {
    startConnected();
    try (Api api = new Api()) {
      Task logged = api.create(new Action.Log(), 2);
      Task published =
          api.create(
              new Action.Amqp("", "no such queue", Map.of(), Map.of(), Optional.empty(), false), 1);

      soon().until(() -> api.find(logged).status() == TaskStatus.FINISHED);

      assertThat(api.find(logged).tally().succeeded()).isEqualTo(2);
      assertThat(api.first(logged).attempt()).isEqualTo(1);
      assertThat(api.first(logged).run().orElseThrow().worker()).startsWith("tested-");
      soon().until(() -> api.first(published).error().isPresent());
      assertThat(api.first(published).error())
          .as("the broker's answer to the very first message")
          .hasValueSatisfying(error -> assertThat(error).contains("reaches no queue"));
      assertThat(get("/metrics").body())
          .contains("carillon_attempts_running 0.0", "carillon_clock_offset_seconds");
    }
  }

  @Test
  void whenItIsStoppedWhatRunsIsHandedBackAtOnce() throws Exception {
    variables.put("SHUTDOWN_GRACE", "PT0.2S");
    startConnected();
    try (Api api = new Api();
        ServerSocket receiver = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + receiver.getLocalPort();
      Task task =
          api.create(
              new Action.Http(
                  "POST", url, Map.of(), Optional.empty(), Duration.ofMinutes(1), false),
              1);
      try (Socket request = receiver.accept()) {
        assertThat(request.getInputStream().read()).isEqualTo('P');
        assertThat(api.first(task).status()).isEqualTo(SubTaskStatus.RUNNING);

        worker.close();
        worker.close(); // does nothing

        SubTask handedBack = api.first(task);
        assertThat(handedBack.status()).isEqualTo(SubTaskStatus.PENDING);
        assertThat(handedBack.attempt()).isEqualTo(1);
        assertThat(handedBack.failedAttempts()).isZero();
        assertThat(handedBack.lostWorkers()).isZero();
      }
      assertThatThrownBy(this::ready).isInstanceOf(ConnectException.class);

      newWorker();
      worker.start();
      try (Socket again = receiver.accept()) {
        assertThat(again.getInputStream().read()).isEqualTo('P');
        again
            .getOutputStream()
            .write("HTTP/1.1 204 Done\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        soon().until(() -> api.find(task).status() == TaskStatus.FINISHED);
      }
      assertThat(api.first(task).attempt()).isEqualTo(2);
    }
  }

  @Test
  void aStoreThatRefusesKeepsItFromStarting() throws Exception {
    toStore.connect();
    variables.put("MONGODB_URI", variables.get("MONGODB_URI").replace("://", "://stranger:wrong@"));
    newWorker();

    assertThatThrownBy(worker::start).isInstanceOf(RuntimeException.class);

    worker.close();
    assertThatThrownBy(this::ready).isInstanceOf(ConnectException.class);
  }

  @Test
  void aPortThatIsTakenKeepsItFromStarting() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      variables.put("HEALTH_PORT", String.valueOf(taken.getLocalPort()));
      newWorker();

      assertThatThrownBy(worker::start)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining(String.valueOf(taken.getLocalPort()));
    }
  }
}
