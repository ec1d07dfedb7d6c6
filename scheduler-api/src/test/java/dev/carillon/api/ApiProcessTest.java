package dev.carillon.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.ops.Environment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The process while neither broker nor store is there. */
@Timeout(180)
final class ApiProcessTest {

  private static final String VALID = "{\"name\": \"x\", \"interval\": 1}";

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path folder;

  @Test
  void servesWhatItCanWhileEverythingIsAway() throws Exception {
    Environment environment = Environment.of(nothingThere(0));
    ApiProcess.Settings settings = ApiProcess.Settings.read(environment);
    environment.check();
    try (ApiProcess api = new ApiProcess(settings)) {
      api.start();
      int port = api.port();

      assertThat(get(port, "/health/live").statusCode()).isEqualTo(200);
      HttpResponse<String> ready = get(port, "/health/ready");
      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body())
          .contains(
              "\"mongodb\":{\"status\":\"DOWN\"",
              "\"rabbitmq\":{\"status\":\"DOWN\"",
              "\"clock\":{\"status\":\"DOWN\",\"detail\":\"not compared")
          .doesNotContain("secret");
      assertThat(post(port, "{}").statusCode()).isEqualTo(400);
      HttpResponse<String> answer = post(port, VALID);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(get(port, "/metrics").body())
          .contains("carillon_clock_offset_seconds 0.0", "carillon_tasks_accepted_total 0.0");
    }
  }

  @Test
  void endsInOrderWhenItIsTerminated() throws Exception {
    int port = freePort();
    Process process = run(nothingThere(port));
    try {
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .ignoreExceptions()
          .failFast("ended", () -> assertThat(process.isAlive()).as(output()).isTrue())
          .until(() -> get(port, "/health/live").statusCode() == 200);

      process.destroy();

      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(output()).isEqualTo(143);
      assertThat(output())
          .containsSubsequence(
              "stopping API server", "stopping queues", "stopping store", "stopped")
          .contains("= amqp://guest:***@127.0.0.1:1")
          .doesNotContain("secret");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void doesNotStartWithWrongSettings() throws Exception {
    Map<String, String> variables = nothingThere(0);
    variables.put("HTTP_PORT", "eighty");
    variables.put("MONGODB_URI", "mongodb://localhost");
    Process process = run(variables);
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(output()).isEqualTo(2);
      assertThat(output())
          .contains("the configuration has 2 problems:", "HTTP_PORT: \"eighty\"", "MONGODB_URI: ");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void endsWhenItsPortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Process process = run(nothingThere(taken.getLocalPort()));
      try {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output()).isEqualTo(1);
        assertThat(output()).contains("" + taken.getLocalPort());
      } finally {
        process.destroyForcibly();
      }
    }
  }

  /** Nobody listens on port 1. */
  private static Map<String, String> nothingThere(int port) {
    Map<String, String> variables = new HashMap<>();
    variables.put("AMQP_URI", "amqp://guest:secret@127.0.0.1:1");
    variables.put(
        "MONGODB_URI", "mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=300&timeoutMS=300");
    variables.put("HTTP_HOST", "127.0.0.1");
    variables.put("HTTP_PORT", "" + port);
    return variables;
  }

  private Process run(Map<String, String> variables) throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    ProcessBuilder builder =
        new ProcessBuilder(
            java.toString(),
            "-Dlogback.configurationFile=logback.xml", // not that of the tests
            "-cp",
            System.getProperty("java.class.path"),
            ApiMain.class.getName());
    builder.environment().putAll(variables);
    return builder
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start();
  }

  private String output() {
    try {
      return Files.readString(folder.resolve("output"), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private HttpResponse<String> get(int port, String path) throws Exception {
    return client.send(request(port, path).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(int port, String body) throws Exception {
    return client.send(
        request(port, "/api/tasks")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }
}
