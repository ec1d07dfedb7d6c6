package dev.carillon.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** A user of the API. */
final class ApiClient {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final String base;

  ApiClient(int port) {
    this.base = "http://127.0.0.1:" + port;
  }

  String base() {
    return base;
  }

  /**
   * @param retryAfter what the header of that name says
   */
  record Answer(int status, JsonNode body, Optional<String> retryAfter) {}

  Answer post(String path, String json) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json)));
  }

  /** With an idempotency key. */
  Answer postKeyed(String path, String json, String key) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString(json)));
  }

  Answer patch(String path, String json) {
    return send(
        request(path)
            .header("Content-Type", "application/merge-patch+json")
            .method("PATCH", BodyPublishers.ofString(json)));
  }

  Answer get(String path) {
    return send(request(path).GET());
  }

  /** The value of a metric; 0 when it is not there (yet). */
  double metric(String name) {
    return exchange(request("/metrics").GET())
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  /** The values of all metrics whose names and labels begin like this. */
  double sumOfMetrics(String beginning) {
    return exchange(request("/metrics").GET())
        .body()
        .lines()
        .filter(line -> line.startsWith(beginning))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  Answer delete(String path) {
    return send(request(path).DELETE());
  }

  /** Creates a task that must be accepted; answers its id. */
  String create(String json) {
    Answer answer = post("/api/tasks", json.replace('\'', '"'));
    if (answer.status() != 201) {
      throw new AssertionError("not created: " + answer);
    }
    return answer.body().path("id").asText();
  }

  JsonNode task(String id) {
    return get("/api/tasks/" + id).body();
  }

  /** All sub-tasks, page by page. */
  JsonNode subTasks(String id) {
    return get("/api/tasks/" + id + "/sub-tasks?limit=200").body().path("items");
  }

  /** Whether everything that the process at the port depends on is there. */
  boolean isReady() {
    try {
      return get("/health/ready").status() == 200;
    } catch (UncheckedIOException notYet) {
      return false;
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(20));
  }

  private Answer send(HttpRequest.Builder request) {
    HttpResponse<String> response = exchange(request);
    String body = response.body();
    try {
      return new Answer(
          response.statusCode(),
          body.isEmpty() ? JSON.nullNode() : JSON.readTree(body),
          response.headers().firstValue("Retry-After"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpResponse<String> exchange(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
