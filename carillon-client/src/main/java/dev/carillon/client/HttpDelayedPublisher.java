package dev.carillon.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Publishes over HTTP, one call a message. Workers need not take messages in for the exchange.
 * Thread-safe.
 */
public final class HttpDelayedPublisher implements DelayedPublisher {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LONGEST_NAME = 200;
  private static final Set<Integer> NOTHING_LEFT_TO_CANCEL = Set.of(404, 409);

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(PATIENCE).version(HttpClient.Version.HTTP_1_1).build();

  private final URI api;
  private final ObjectMapper mapper;
  private final JsonPayload json;

  /**
   * Connects with the first message.
   *
   * @param api where the API is, such as {@code http://carillon:8080}
   */
  public HttpDelayedPublisher(URI api, ObjectMapper mapper) {
    this.api = api;
    this.mapper = mapper;
    this.json = new JsonPayload(mapper);
  }

  @Override
  public void publish(Collection<DelayedMessage> messages) {
    messages.forEach(this::publishOne);
  }

  private void publishOne(DelayedMessage message) {
    byte[] body = body(message);
    if (message.key().isPresent()) {
      HttpRequest.Builder put = byKey(message.key().get()).PUT(BodyPublishers.ofByteArray(body));
      expectSuccess(send(put.header("Content-Type", JsonPayload.CONTENT_TYPE)));
    } else {
      HttpRequest.Builder post =
          request("/api/tasks")
              .header("Content-Type", JsonPayload.CONTENT_TYPE)
              .header("Idempotency-Key", message.messageId())
              .POST(BodyPublishers.ofByteArray(body));
      expectSuccess(send(post));
    }
  }

  private byte[] body(DelayedMessage message) {
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put("type", message.type());
    properties.put("contentType", JsonPayload.CONTENT_TYPE);
    message.correlationId().ifPresent(id -> properties.put("correlationId", id));
    if (!message.isRecurring()) { // every delivery is another message
      properties.put("messageId", message.messageId());
    }
    Map<String, Object> action = new LinkedHashMap<>();
    action.put("type", "amqp");
    action.put("exchange", message.exchange());
    action.put("routingKey", message.routingKey());
    action.put("headers", message.headers());
    action.put("properties", properties);
    action.put("body", json.tree(message));
    action.put("verbatim", true);
    Map<String, Object> task = new LinkedHashMap<>();
    task.put("name", name(message));
    task.putAll(message.schedule().isEmpty() ? Map.of("delay", "PT0.001S") : message.schedule());
    task.put("action", action);
    try {
      return mapper.writeValueAsBytes(task);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot be written as JSON: " + message.payload(), e);
    }
  }

  private static String name(DelayedMessage message) {
    String name = message.type() + " to " + message.exchange() + " " + message.routingKey();
    return name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) : name;
  }

  @Override
  public void cancel(String exchange, String key) {
    HttpResponse<String> answer = send(byKey(key).DELETE());
    if (!NOTHING_LEFT_TO_CANCEL.contains(answer.statusCode())) {
      expectSuccess(answer);
    }
  }

  private HttpRequest.Builder byKey(String key) {
    String escaped = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
    return request("/api/tasks/by-key/" + escaped);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(api.resolve(path)).timeout(PATIENCE);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new NotPublishedException("the API does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NotPublishedException("interrupted before the API had answered", e);
    }
  }

  private static void expectSuccess(HttpResponse<String> answer) {
    if (answer.statusCode() / 100 != 2) {
      throw new NotPublishedException(
          "the API has answered " + answer.statusCode() + ": " + answer.body());
    }
  }

  @Override
  public void close() {
    // the client of the JDK ends by itself when nobody uses it
  }
}
