package dev.carillon.client;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Delivery;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What a handler is told of a message besides its payload. Immutable. */
public final class ReceivedMessage {

  private final Delivery delivery;
  private final int attempt;

  ReceivedMessage(Delivery delivery, int attempt) {
    this.delivery = delivery;
    this.attempt = attempt;
  }

  /**
   * The same whenever the same delivery is handled, whoever has tried before: by remembering it
   * along with the effect, a handler has the effect once. Empty for a message that has come to the
   * queue in another way and has no message id.
   */
  public Optional<String> idempotencyKey() {
    return header("X-Carillon-Idempotency-Key").or(this::messageId);
  }

  /** When it was to be delivered; empty when it did not have to wait. */
  public Optional<Instant> dueAt() {
    return header("X-Carillon-Due-At").map(Instant::parse);
  }

  /** How often this process has tried to handle it, this time included. */
  public int attempt() {
    return attempt;
  }

  /** The id that its publisher has given it. */
  public Optional<String> messageId() {
    return Optional.ofNullable(properties().getMessageId());
  }

  /** What it belongs to. */
  public Optional<String> correlationId() {
    return Optional.ofNullable(properties().getCorrelationId());
  }

  /** How it was routed. */
  public String routingKey() {
    return delivery.getEnvelope().getRoutingKey();
  }

  /** All of its headers, of the driver's types. */
  public Map<String, Object> headers() {
    Map<String, Object> headers = properties().getHeaders();
    return headers == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
  }

  private Optional<String> header(String name) {
    return Optional.ofNullable(headers().get(name)).map(Object::toString);
  }

  private AMQP.BasicProperties properties() {
    return delivery.getProperties();
  }
}
