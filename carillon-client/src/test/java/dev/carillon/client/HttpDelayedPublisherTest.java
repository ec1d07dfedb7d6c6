package dev.carillon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.carillon.client.DelayedPublisher.NotPublishedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class HttpDelayedPublisherTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private record Request(String method, String path, String idempotencyKey, JsonNode body) {}

  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private volatile int status = 201;
  private HttpServer server;
  private HttpDelayedPublisher publisher;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    URI api = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    publisher = new HttpDelayedPublisher(api, JSON);
  }

  @AfterEach
  void stop() {
    publisher.close();
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.add(
        new Request(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getRawPath(),
            exchange.getRequestHeaders().getFirst("Idempotency-Key"),
            JSON.readTree(exchange.getRequestBody())));
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  @Test
  void aMessageIsATaskThatPublishesItAsItStands() {
    DelayedMessage message =
        DelayedMessage.of(new Order(42, "{{as it is}}"))
            .to("orders", "order.close")
            .header("tenant", "blue")
            .correlationId("c")
            .after(Duration.ofMinutes(30))
            .build();

    publisher.publish(message);

    Request request = requests.get(0);
    assertThat(request.method()).isEqualTo("POST");
    assertThat(request.path()).isEqualTo("/api/tasks");
    assertThat(request.idempotencyKey()).isEqualTo(message.messageId());
    assertThat(request.body().path("delay").asText()).isEqualTo("PT30M");
    JsonNode action = request.body().path("action");
    assertThat(action.path("exchange").asText()).isEqualTo("orders");
    assertThat(action.path("routingKey").asText()).isEqualTo("order.close");
    assertThat(action.path("verbatim").asBoolean()).isTrue();
    assertThat(action.path("headers").path("tenant").asText()).isEqualTo("blue");
    assertThat(action.path("properties").path("type").asText()).isEqualTo("Order");
    assertThat(action.path("properties").path("messageId").asText()).isEqualTo(message.messageId());
    assertThat(action.path("body").path("id").asInt()).isEqualTo(42);
    assertThat(action.path("body").path("note").asText()).isEqualTo("{{as it is}}");
  }

  @Test
  void oneWithAKeyReplacesWhatWaitsUnderIt() {
    publisher.publish(DelayedMessage.of(new Order(1, "")).key("order:1").build());

    assertThat(requests.get(0).method()).isEqualTo("PUT");
    assertThat(requests.get(0).path()).isEqualTo("/api/tasks/by-key/order%3A1");
  }

  @Test
  void oneThatComesAgainHasNoMessageIdOfItsOwn() {
    publisher.publish(
        DelayedMessage.of(new Order(1, "")).every(Duration.ofHours(1)).times(2).build());

    JsonNode body = requests.get(0).body();
    assertThat(body.path("interval").asText()).isEqualTo("PT1H");
    assertThat(body.path("maxRuns").asInt()).isEqualTo(2);
    assertThat(body.path("action").path("properties").has("messageId")).isFalse();
  }

  @Test
  void whatIsNotThereNeedNotBeCanceled() {
    for (int answered : new int[] {204, 404, 409}) {
      status = answered;
      publisher.cancel("orders", "order:1");
    }
    assertThat(requests).extracting(Request::method).containsOnly("DELETE").hasSize(3);
  }

  @Test
  void whateverElseIsAnsweredComesOut() {
    status = 503;

    assertThatThrownBy(() -> publisher.publish(DelayedMessage.of(new Order(1, "")).build()))
        .isInstanceOf(NotPublishedException.class)
        .hasMessageContaining("503");
    assertThatThrownBy(() -> publisher.cancel("orders", "order:1"))
        .isInstanceOf(NotPublishedException.class);
  }
}
