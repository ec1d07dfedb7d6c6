package dev.carillon.task;

import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What a firing does. A value; workers know how to carry it out. */
public sealed interface Action {

  /** Writes a line to the worker's log. */
  record Log() implements Action {}

  /**
   * Sends an HTTP request; any 2xx answer is success.
   *
   * @param headers sent as they are, besides those that Carillon adds
   * @param timeout for the whole exchange
   */
  record Http(
      String method, URI url, Map<String, String> headers, Optional<Body> body, Duration timeout)
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
   */
  record Amqp(String exchange, String routingKey, Map<String, String> headers, Optional<Body> body)
      implements Action {

    public Amqp {
      Objects.requireNonNull(exchange, "exchange");
      Objects.requireNonNull(routingKey, "routingKey");
      Objects.requireNonNull(body, "body");
      headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }
  }

  /**
   * What is sent along.
   *
   * @param text exactly what goes over the wire, in UTF-8
   * @param isJson whether the text is a JSON value rather than plain text
   */
  record Body(String text, boolean isJson) {

    public Body {
      Objects.requireNonNull(text, "text");
    }

    /** Media type for a receiver that is told nothing else. */
    public String contentType() {
      return isJson ? "application/json" : "text/plain; charset=utf-8";
    }
  }
}
