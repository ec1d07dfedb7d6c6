package dev.carillon.task;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a firing does. A value; workers know how to carry it out. Its texts may have {@link Template
 * templates} in them, unless it is verbatim.
 */
public sealed interface Action {

  /** Writes a line to the worker's log. */
  record Log() implements Action {}

  /**
   * Sends an HTTP request; any 2xx answer is success.
   *
   * @param headers sent as they are, besides those that Carillon adds
   * @param timeout for the whole exchange
   * @param verbatim whether texts are sent as they stand, with no regard to templates
   */
  record Http(
      String method,
      String url,
      Map<String, String> headers,
      Optional<Body> body,
      Duration timeout,
      boolean verbatim)
      implements Action {

    /** How long an exchange may take when the task does not say. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    public Http {
      Objects.requireNonNull(method, "method");
      Objects.requireNonNull(url, "url");
      Objects.requireNonNull(body, "body");
      Objects.requireNonNull(timeout, "timeout");
      headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }
  }

  /**
   * Publishes a persistent message that must reach a queue.
   *
   * @param exchange empty for the default exchange, which routes by queue name
   * @param headers of the types that AMQP has: strings, booleans, bytes, shorts, integers, longs,
   *     floats, doubles, big decimals, instants, {@link Bytes}, null, and lists and maps of these
   * @param verbatim whether the message goes out as it stands: with no regard to templates, and
   *     without properties that it does not have
   */
  record Amqp(
      String exchange,
      String routingKey,
      Map<String, Object> headers,
      Map<MessageProperty, String> properties,
      Optional<Body> body,
      boolean verbatim)
      implements Action {

    public Amqp {
      Objects.requireNonNull(exchange, "exchange");
      Objects.requireNonNull(routingKey, "routingKey");
      Objects.requireNonNull(body, "body");
      headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
      Map<MessageProperty, String> sorted = new EnumMap<>(MessageProperty.class);
      sorted.putAll(properties);
      properties = Collections.unmodifiableMap(sorted);
    }
  }

  /**
   * Calls code that the worker has.
   *
   * @param name which
   * @param payload what it is given, as JSON
   */
  record Code(String name, Optional<String> payload) implements Action {

    public Code {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(payload, "payload");
    }
  }

  /**
   * What is sent along.
   *
   * @param text the content as {@code kind} says
   */
  record Body(String text, Kind kind) {

    /** How a body is kept. */
    public enum Kind {
      /** Plain text, sent in UTF-8. */
      TEXT,
      /** A JSON value as text, sent in UTF-8. */
      JSON,
      /** Bytes in base 64, sent as bytes. */
      BASE64
    }

    /**
     * @throws IllegalArgumentException if it is to be base 64 and is not
     */
    public Body {
      Objects.requireNonNull(kind, "kind");
      if (kind == Kind.BASE64) {
        text = new Bytes(text).base64();
      }
      Objects.requireNonNull(text, "text");
    }

    public static Body text(String text) {
      return new Body(text, Kind.TEXT);
    }

    public static Body json(String json) {
      return new Body(json, Kind.JSON);
    }

    public static Body of(byte[] bytes) {
      return new Body(Bytes.of(bytes).base64(), Kind.BASE64);
    }

    /** What goes over the wire. */
    public byte[] bytes() {
      return kind == Kind.BASE64
          ? new Bytes(text).toArray()
          : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Media type for a receiver that is told nothing else. */
    public String contentType() {
      return switch (kind) {
        case TEXT -> "text/plain; charset=utf-8";
        case JSON -> "application/json";
        case BASE64 -> "application/octet-stream";
      };
    }
  }
}
