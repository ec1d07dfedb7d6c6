package dev.carillon.api;

import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.ops.StoreClock;
import dev.carillon.task.Chain;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class FailureTest {

  private static final Duration TIMEOUT = Duration.ofMillis(500);
  private static final int THREADS = 2;

  private final CountDownLatch released = new CountDownLatch(1);
  private final ExecutorService clients = Executors.newCachedThreadPool();
  private final RunningApi api =
      new RunningApi(new ApiSettings("127.0.0.1", 0, THREADS, TIMEOUT), Chain.Settings.DEFAULT);

  @AfterEach
  void stop() {
    released.countDown();
    clients.shutdownNow();
    api.close();
  }

  @Test
  void whileItsClockCannotBeReliedOnNothingIsChangedAndTheAnswerIsA503() throws Exception {
    String task = "/api/tasks/" + RunningApi.idOf(api.create("there before", 0));
    StoreClock neverCompared =
        new StoreClock(api.clock, api.clock::instant, StoreClock.DEFAULT_LIMIT);
    api.deciding = neverCompared.whileReliable();

    for (HttpResponse<String> answer :
        List.of(
            api.post("{\"name\": \"x\", \"delay\": \"PT1H\"}"),
            api.send(api.request(task + "/pause").POST(BodyPublishers.noBody()).build()))) {
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).contains("2");
      assertThat(json(answer).get("detail").asText()).contains("clock", "not compared");
    }
    assertThat(api.post("{\"interval\": 0}").statusCode()).as("refused as ever").isEqualTo(400);
    assertThat(json(api.get("/api/tasks")).get("items")).hasSize(1);
    assertThat(json(api.get(task)).get("status").asText()).isEqualTo("ACTIVE");

    neverCompared.refresh();
    assertThat(api.post("{\"name\": \"x\", \"delay\": \"PT1H\"}").statusCode()).isEqualTo(201);
  }

  @Test
  void aStoreThatIsAwayIsA503() throws Exception {
    api.store.first(
        () -> {
          throw new FaultyStore.AwayException();
        });

    for (HttpResponse<String> answer :
        List.of(
            api.post("{\"name\": \"x\", \"interval\": 1}"),
            api.get("/api/tasks"),
            api.delete("/api/tasks/01jgftvxg0abcdefghjkmnpqrs"))) {
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).contains("2");
      assertThat(json(answer).get("detail").asText()).startsWith("the store cannot be reached");
    }
  }

  @Test
  void badInputIsToldWithoutTheStore() throws Exception {
    api.store.first(
        () -> {
          throw new FaultyStore.AwayException();
        });

    assertThat(api.post("{\"interval\": 0}").statusCode()).isEqualTo(400);
    assertThat(api.get("/api/tasks?limit=0").statusCode()).isEqualTo(400);
    assertThat(api.get("/api/tasks/5").statusCode()).isEqualTo(404);
  }

  @Test
  void aFaultIsA500ThatTellsNothingButTheIdInTheLog() throws Exception {
    api.store.first(
        () -> {
          throw new IllegalStateException("secret detail");
        });

    HttpResponse<String> answer = api.get("/api/tasks");

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("secret", "Exception", "at dev.carillon");
    JsonNode problem = json(answer);
    assertThat(problem.get("title").asText()).isEqualTo("Internal Server Error");
    assertThat(problem.get("detail").asText())
        .matches("something went wrong; the log has it as [0-9a-f-]{36}");
  }

  @Test
  void anErrorOfTheMachineIsA500AsWell() throws Exception {
    api.store.first(
        () -> {
          throw new StackOverflowError();
        });

    assertThat(api.get("/api/tasks").statusCode()).isEqualTo(500);
  }

  @Test
  void aStoreThatHangsCostsNobodyMoreThanTheTimeLimit() throws Exception {
    api.store.first(this::awaitRelease);
    Instant begun = Instant.now();

    HttpResponse<String> answer = api.post("{\"name\": \"x\", \"interval\": 1}");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(json(answer).get("detail").asText()).contains("not carried out in time");
    assertThat(Duration.between(begun, Instant.now())).isGreaterThanOrEqualTo(TIMEOUT);
    released.countDown();
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> api.memory.all().size() == 1);
  }

  @Test
  void healthIsToldWhileEverythingElseHangs() throws Exception {
    api.store.first(this::awaitRelease);
    List<Future<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      answers.add(clients.submit(() -> api.get("/api/tasks")));
    }

    List<String> details = new ArrayList<>();
    for (Future<HttpResponse<String>> answer : answers) {
      assertThat(api.get("/health/live").statusCode()).isEqualTo(200);
      assertThat(answer.get().statusCode()).isEqualTo(503);
      details.add(json(answer.get()).get("detail").asText());
    }
    assertThat(details).contains("too many requests are waiting");

    api.store.first(() -> {});
    released.countDown();
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> api.get("/api/tasks").statusCode() == 200);
  }

  @Test
  void whatIsBeingCarriedOutIsAnsweredBeforeTheServerStops() throws Exception {
    int port = api.port();
    CountDownLatch reached = new CountDownLatch(1);
    api.store.first(
        () -> {
          reached.countDown();
          awaitRelease();
        });
    Future<HttpResponse<String>> answer =
        clients.submit(() -> api.post("{\"name\": \"x\", \"interval\": 1}"));
    assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();

    CompletableFuture<Void> stopping = CompletableFuture.runAsync(api::close, clients);
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> assertThatThrownBy(() -> connect(port)).isInstanceOf(ConnectException.class));
    api.store.first(() -> {});
    released.countDown();

    assertThat(answer.get().statusCode()).isEqualTo(201);
    stopping.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aServerCanBeClosedAgainAndBeforeItWasStarted() {
    ApiServer server =
        new ApiServer(
            new Endpoints(
                new TaskEndpoints(null, null, api.store, api.clock),
                null,
                new BatchEndpoint(null),
                new SubTaskEndpoints(null, api.store, api.clock),
                new ExplainEndpoint(api.store, api.queues, api.clock),
                new ParkedEndpoints(api.parked, null)),
            null,
            api.metrics,
            failure -> false,
            RunningApi.SETTINGS);

    server.close();
    server.close();

    int port = api.port();
    api.close();
    api.close();
    assertThatThrownBy(() -> connect(port)).isInstanceOf(ConnectException.class);
  }

  private void connect(int port) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertThat(socket.isConnected()).isTrue();
    }
  }

  private void awaitRelease() {
    try {
      released.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
