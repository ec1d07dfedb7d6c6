package dev.carillon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks under the keys of their publishers, over HTTP. */
final class KeyedTaskTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final RunningApi api = new RunningApi();

  @AfterEach
  void close() {
    api.close();
  }

  private HttpResponse<String> send(String method, String path, String json) throws Exception {
    HttpRequest.Builder request =
        api.request(path)
            .method(
                method,
                json == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(json.replace('\'', '"')));
    if (json != null) {
      request.header("Content-Type", "application/json");
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private static JsonNode json(HttpResponse<String> answer) throws Exception {
    return JSON.readTree(answer.body());
  }

  private static final String TASK = "{'name': 'n', 'delay': 'PT1H', 'key': 'order.17'}";

  @Test
  void aKeyIsTakenOnceAndShown() throws Exception {
    HttpResponse<String> created = send("POST", "/api/tasks", TASK);
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(json(created).path("key").asText()).isEqualTo("order.17");
    String id = json(created).path("id").asText();

    HttpResponse<String> refused = send("POST", "/api/tasks", TASK);

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.headers().firstValue("Location")).contains("/api/tasks/" + id);
    assertThat(json(refused).path("detail").asText()).contains(id).contains("by-key/order.17");
    HttpResponse<String> found = send("GET", "/api/tasks/by-key/order.17", null);
    assertThat(found.statusCode()).isEqualTo(200);
    assertThat(json(found).path("id").asText()).isEqualTo(id);
  }

  @Test
  void puttingCreatesAndThenReplacesInPlace() throws Exception {
    String path = "/api/tasks/by-key/order.17";
    HttpResponse<String> created = send("PUT", path, "{'name': 'n', 'delay': 'PT1H'}");
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(json(created).path("key").asText()).isEqualTo("order.17");

    HttpResponse<String> replaced =
        send("PUT", path, "{'name': 'other', 'delay': 'PT2H', 'key': 'order.17'}");

    assertThat(replaced.statusCode()).isEqualTo(200);
    assertThat(json(replaced).path("id")).isEqualTo(json(created).path("id"));
    assertThat(json(replaced).path("name").asText()).isEqualTo("other");
    assertThat(json(replaced).path("nextDueAt").asText())
        .isGreaterThan(json(created).path("nextDueAt").asText());
  }

  @Test
  void afterACancelTheKeyIsFree() throws Exception {
    String id = json(send("POST", "/api/tasks", TASK)).path("id").asText();

    assertThat(send("DELETE", "/api/tasks/by-key/order.17", null).statusCode()).isEqualTo(204);
    assertThat(send("DELETE", "/api/tasks/by-key/order.17", null).statusCode()).isEqualTo(204);

    assertThat(json(send("GET", "/api/tasks/" + id, null)).path("status").asText())
        .isEqualTo("CANCELED");
    HttpResponse<String> next = send("POST", "/api/tasks", TASK);
    assertThat(next.statusCode()).isEqualTo(201);
    assertThat(json(next).path("id").asText()).isNotEqualTo(id);
  }

  @Test
  void whatMakesNoSenseIsRefused() throws Exception {
    assertThat(send("GET", "/api/tasks/by-key/none", null).statusCode()).isEqualTo(404);
    assertThat(send("DELETE", "/api/tasks/by-key/none", null).statusCode()).isEqualTo(404);
    assertThat(send("GET", "/api/tasks/by-key/a%20b", null).statusCode()).isEqualTo(400);
    assertThat(send("PUT", "/api/tasks/by-key/a", TASK).statusCode()).isEqualTo(400);
    assertThat(send("POST", "/api/tasks", TASK.replace("order.17", "a b")).statusCode())
        .isEqualTo(400);
    String id = json(send("POST", "/api/tasks", TASK)).path("id").asText();
    HttpResponse<String> edit = send("PATCH", "/api/tasks/" + id, "{'key': 'other'}");
    assertThat(edit.statusCode()).isEqualTo(400);
    assertThat(edit.body()).contains("cannot be changed");
    HttpResponse<String> both =
        http.send(
            api.request("/api/tasks")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "x")
                .POST(BodyPublishers.ofString(TASK.replace('\'', '"')))
                .build(),
            BodyHandlers.ofString());
    assertThat(both.statusCode()).isEqualTo(400);
    assertThat(both.body()).contains("must not be given beside an Idempotency-Key");
  }
}
