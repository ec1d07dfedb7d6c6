package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class OpsServerTest {

  private final AtomicReference<HealthState> store =
      new AtomicReference<>(HealthState.up("answers"));
  private final Health health = new Health(Map.of("store", store::get));
  private final PrometheusMetrics metrics = new PrometheusMetrics();
  private final OpsServer server = new OpsServer(health, metrics, "127.0.0.1", 0);
  private final HttpClient client = HttpClient.newHttpClient();

  @BeforeEach
  void start() {
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
    health.close();
    metrics.close();
  }

  @Test
  void isAliveWhateverItDependsOn() throws Exception {
    store.set(HealthState.down("away"));

    HttpResponse<String> answer = request("GET", "/health/live");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"status\":\"UP\"}");
  }

  @Test
  void isReadyWhileItsDependenciesAreUp() throws Exception {
    HttpResponse<String> answer = request("GET", "/health/ready");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(answer.body()).contains("\"store\":{\"status\":\"UP\"");
  }

  @Test
  void isNotReadyWhenADependencyIsAway() throws Exception {
    store.set(HealthState.down("away"));

    HttpResponse<String> answer = request("GET", "/health/ready");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("\"store\":{\"status\":\"DOWN\",\"detail\":\"away\"}");
  }

  @Test
  void showsMetrics() throws Exception {
    metrics.taskCreated();

    HttpResponse<String> answer = request("GET", "/metrics");

    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(answer.body()).contains("\ncarillon_tasks_accepted_total 1.0\n");
  }

  @Test
  void answersHeadWithoutABody() throws Exception {
    HttpResponse<String> answer = request("HEAD", "/metrics");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void knowsNoOtherPathAndNoOtherMethod() throws Exception {
    assertThat(request("GET", "/health/live/x").statusCode()).isEqualTo(404);
    assertThat(request("GET", "/").statusCode()).isEqualTo(404);
    HttpResponse<String> answer = request("POST", "/metrics");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD");
  }

  @Test
  void saysWhichAddressCannotBeHad() {
    try (OpsServer second = new OpsServer(health, metrics, "127.0.0.1", server.port())) {
      assertThatThrownBy(second::start)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining(String.valueOf(server.port()));
    }
  }

  private HttpResponse<String> request(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()).build(),
        BodyHandlers.ofString());
  }
}
