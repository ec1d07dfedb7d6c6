package dev.carillon.api;

import dev.carillon.ops.Environment;
import java.time.Duration;

/**
 * How the API is served.
 *
 * @param host name or address to listen on
 * @param port to listen on; 0 for any free one
 * @param threads how many requests are carried out at a time
 * @param requestTimeout how long a request may take to arrive, and to be carried out
 */
public record ApiSettings(String host, int port, int threads, Duration requestTimeout) {

  public ApiSettings {
    if (threads < 1 || requestTimeout.isNegative() || requestTimeout.isZero()) {
      throw new IllegalArgumentException("threads and requestTimeout must be positive");
    }
  }

  /** Reads them all; {@link Environment#check} then tells whether they can be used. */
  public static ApiSettings read(Environment environment) {
    return new ApiSettings(
        environment.text("HTTP_HOST", "0.0.0.0", "Name or address that the API listens on"),
        environment.wholeNumber(
            "HTTP_PORT", 8080, 0, 65_535, "Port that the API listens on; 0 for any free one"),
        environment.wholeNumber(
            "HTTP_THREADS", 32, 1, 1_000, "How many requests are carried out at a time"),
        environment.duration(
            "REQUEST_TIMEOUT",
            Duration.ofSeconds(15),
            Duration.ofMillis(100),
            Duration.ofMinutes(5),
            "How long a request may take to arrive, and to be carried out"));
  }
}
