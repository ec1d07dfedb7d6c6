package dev.carillon.api;

import static dev.carillon.api.RunningApi.idOf;
import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.ops.HealthState;
import dev.carillon.task.TaskStatus;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
final class HttpRulesTest {

  private static final String TASK = "{\"name\": \"x\", \"interval\": 1}";

  private final RunningApi api = new RunningApi();

  @AfterEach
  void stop() {
    api.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/api", "/api/task", "/api/tasks/a/b/c", "/health", "/index.html"})
  void whereNothingIsThereIsAProblem404(String path) throws Exception {
    HttpResponse<String> answer = api.get(path);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(json(answer).get("title").asText()).isEqualTo("Not Found");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PUT|/api/tasks|GET, POST, HEAD",
        "DELETE|/api/tasks|GET, POST, HEAD",
        "OPTIONS|/api/tasks|GET, POST, HEAD",
        "POST|/api/tasks/x|GET, PATCH, DELETE, HEAD",
        "PUT|/api/tasks/x|GET, PATCH, DELETE, HEAD",
        "DELETE|/api/tasks/x/sub-tasks|GET, HEAD",
        "PUT|/api/tasks/x/sub-tasks/0|GET, DELETE, HEAD",
        "GET|/api/tasks/x/sub-tasks/0/retry|POST",
        "GET|/api/tasks/x/trigger|POST",
        "GET|/api/tasks/x/backfill|POST",
        "POST|/health/live|GET, HEAD",
        "BREW|/metrics|GET, HEAD",
      })
  void anotherMethodIsAProblem405ThatNamesThoseThereAre(String method, String path, String allowed)
      throws Exception {
    HttpResponse<String> answer =
        api.send(api.request(path).method(method, BodyPublishers.noBody()).build());

    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains(allowed);
    assertThat(json(answer).get("status").asInt()).isEqualTo(405);
  }

  @Test
  void headAnswersAsGetWithoutTheBody() throws Exception {
    String path = "/api/tasks/" + idOf(api.create("x", 0));

    HttpResponse<String> found = api.send(head(path));

    assertThat(found.statusCode()).isEqualTo(200);
    assertThat(found.body()).isEmpty();
    assertThat(found.headers().firstValue("ETag")).isPresent();
    assertThat(api.send(head(path + "x")).statusCode()).isEqualTo(404);
  }

  private HttpRequest head(String path) {
    return api.request(path).method("HEAD", BodyPublishers.noBody()).build();
  }

  @Test
  void aHeaderCannotChangeTheMethod() throws Exception {
    JsonNode task = api.create("x", 0);
    String path = "/api/tasks/" + idOf(task);

    HttpResponse<String> answer =
        api.send(api.request(path).header("X-HTTP-Method-Override", "DELETE").build());

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(api.memory.find(idOf(task)).orElseThrow().status()).isEqualTo(TaskStatus.ACTIVE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "Application/JSON",
      })
  void jsonIsTakenHoweverItIsSpelled(String type) throws Exception {
    assertThat(post(type, TASK).statusCode()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/json; charset=iso-8859-1",
        "application/json; charset=utf-16",
        "json",
        ";",
      })
  void anythingElseIsRefused(String type) throws Exception {
    HttpResponse<String> answer = post(type, TASK);

    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(answer.headers().firstValue("Accept")).contains("application/json");
    assertThat(json(answer).get("title").asText()).isEqualTo("Unsupported Media Type");
    assertThat(api.memory.all()).isEmpty();
  }

  @Test
  void aBodyWithoutATypeOrWithAnEncodingIsRefused() throws Exception {
    HttpRequest untyped = api.request("/api/tasks").POST(BodyPublishers.ofString(TASK)).build();
    HttpRequest compressed =
        api.request("/api/tasks")
            .header("Content-Type", "application/json")
            .header("Content-Encoding", "gzip")
            .POST(BodyPublishers.ofString(TASK))
            .build();

    assertThat(api.send(untyped).statusCode()).isEqualTo(415);
    assertThat(api.send(compressed).statusCode()).isEqualTo(415);
  }

  private HttpResponse<String> post(String type, String body) throws Exception {
    return api.send(
        api.request("/api/tasks")
            .header("Content-Type", type)
            .POST(BodyPublishers.ofString(body))
            .build());
  }

  @Test
  void answersAreNotKeptOrGuessedAt() throws Exception {
    for (String path : List.of("/api/tasks", "/api/tasks/x", "/health/live", "/nowhere")) {
      HttpResponse<String> answer = api.get(path);
      assertThat(answer.headers().firstValue("Cache-Control")).as(path).contains("no-store");
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
      assertThat(answer.headers().firstValue("Server")).isEmpty();
    }
  }

  @Test
  void livesAndIsReadyWhileItsDependenciesAre() throws Exception {
    assertThat(api.get("/health/live").statusCode()).isEqualTo(200);
    HttpResponse<String> ready = api.get("/health/ready");
    assertThat(ready.statusCode()).isEqualTo(200);
    assertThat(json(ready).at("/checks/store/status").asText()).isEqualTo("UP");
  }

  @Test
  void livesButIsNotReadyWhileADependencyIsAway() throws Exception {
    api.storeHealth.set(HealthState.down("connection refused"));

    assertThat(api.get("/health/live").statusCode()).isEqualTo(200);
    HttpResponse<String> ready = api.get("/health/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(json(ready).at("/checks/store/detail").asText()).isEqualTo("connection refused");
  }

  @Test
  void requestsAreMeasuredByRouteAndNotByPath() throws Exception {
    api.create("x", 0);
    api.get("/api/tasks/unknown-1");
    api.get("/api/tasks/unknown-2");
    api.get("/nowhere/1");
    api.send(api.request("/nowhere/2").method("BREW", BodyPublishers.noBody()).build());

    HttpResponse<String> answer = api.get("/metrics");

    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(answer.body().lines())
        .contains(
            "carillon_tasks_accepted_total 1.0",
            count("POST", "/api/tasks", 201) + "1",
            count("GET", "/api/tasks/{id}", 404) + "2",
            count("GET", "none", 404) + "1",
            count("other", "none", 404) + "1");
  }

  private static String count(String method, String route, int status) {
    return "carillon_http_request_duration_seconds_count{method=\"%s\",route=\"%s\",status=\"%d\"} "
        .formatted(method, route, status);
  }
}
