package dev.carillon.rabbit;

import dev.carillon.task.Action.Body;
import dev.carillon.task.MessageProperty;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A message to be published.
 *
 * @param exchange empty for the default exchange, which routes by queue name
 * @param headers of the types that {@link dev.carillon.task.Action.Amqp} has
 */
public record AmqpMessage(
    String exchange,
    String routingKey,
    Map<MessageProperty, String> properties,
    Map<String, Object> headers,
    Optional<Body> body) {

  /** How many bytes AMQP has for each of the names in a message. */
  public static final int MAX_NAME_BYTES = 255;

  /**
   * @throws IllegalArgumentException if a name or a property is too long
   */
  public AmqpMessage {
    requireShort("exchange", exchange);
    requireShort("routingKey", routingKey);
    Objects.requireNonNull(body, "body");
    Map<MessageProperty, String> sorted = new EnumMap<>(MessageProperty.class);
    sorted.putAll(properties);
    sorted.forEach((property, value) -> requireShort(property.word(), value));
    properties = Collections.unmodifiableMap(sorted);
    headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    headers.keySet().forEach(name -> requireShort("header name", name));
  }

  private static void requireShort(String what, String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          what + " has " + length + " bytes, " + MAX_NAME_BYTES + " are allowed");
    }
  }
}
