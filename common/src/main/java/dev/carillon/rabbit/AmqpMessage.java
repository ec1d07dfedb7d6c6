package dev.carillon.rabbit;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A message to be published.
 *
 * @param exchange empty for the default exchange, which routes by queue name
 * @param headers values are strings, whole numbers or booleans
 * @param text the body; sent in UTF-8
 */
public record AmqpMessage(
    String exchange,
    String routingKey,
    String messageId,
    String contentType,
    Map<String, Object> headers,
    String text) {

  /** How many bytes AMQP has for each of the names in a message. */
  public static final int MAX_NAME_BYTES = 255;

  /**
   * @throws IllegalArgumentException if a name is too long or a header's value of another type
   */
  public AmqpMessage {
    requireShort("exchange", exchange);
    requireShort("routingKey", routingKey);
    requireShort("messageId", messageId);
    requireShort("contentType", contentType);
    Objects.requireNonNull(text, "text");
    headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    headers.forEach(
        (name, value) -> {
          requireShort("header name", name);
          if (!(value instanceof String
              || value instanceof Long
              || value instanceof Integer
              || value instanceof Boolean)) {
            throw new IllegalArgumentException("header " + name + " has a value of another type");
          }
        });
  }

  private static void requireShort(String what, String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          what + " has " + length + " bytes, " + MAX_NAME_BYTES + " are allowed");
    }
  }
}
