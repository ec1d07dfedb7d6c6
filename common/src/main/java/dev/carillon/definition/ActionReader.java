package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the {@code action} of a definition. */
final class ActionReader {

  /** Who wrote the form: bodies and headers are kept in the store in a form of their own. */
  enum Source {
    USER,
    STORE
  }

  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);
  private static final int MAX_PORT = 65_535;
  private static final int MAX_URL_LENGTH = 4_000;
  private static final int MAX_HEADERS = 50;
  private static final int MAX_HEADER_LENGTH = 4_000;

  /** A token of RFC 9110, section 5.6.2. */
  private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** Set by the connection itself, or by Carillon on every run. */
  private static final Set<String> RESERVED_HEADERS =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "transfer-encoding",
          "upgrade",
          "idempotency-key");

  private static final String RESERVED_PREFIX = "x-carillon-";

  /** Limit of AMQP 0-9-1 for the names of exchanges and routing keys, in bytes. */
  private static final int MAX_SHORT_STRING = 255;

  private ActionReader() {}

  static Optional<Action> read(Form definition, Source source) {
    return definition.object("action").flatMap(form -> read(form, source, definition));
  }

  private static Optional<Action> read(Form form, Source source, Form definition) {
    int before = definition.problems().size();
    if (!form.has("type")) {
      form.reject("type", "is required");
      return Optional.empty();
    }
    Optional<String> type = form.text("type");
    if (type.isEmpty()) {
      return Optional.empty();
    }
    Optional<Action> action;
    switch (type.get()) {
      case "log" -> action = Optional.of(new Action.Log());
      case "http" -> action = http(form, source);
      case "amqp" -> action = amqp(form, source);
      default -> {
        form.reject("type", "must be one of \"log\", \"http\", \"amqp\"");
        return Optional.empty();
      }
    }
    form.rejectUnknown();
    return definition.problems().size() == before ? action : Optional.empty();
  }

  private static Optional<Action> http(Form form, Source source) {
    String method = form.text("method").orElse("POST");
    if (!METHODS.contains(method)) {
      form.reject("method", "must be one of " + String.join(", ", METHODS));
    }
    if (!form.has("url")) {
      form.reject("url", "is required");
    }
    Optional<URI> url = form.text("url").flatMap(text -> url(form, text));
    Map<String, String> headers = headers(form, source);
    Set<String> names = new HashSet<>();
    headers.forEach(
        (name, value) -> {
          checkHeader(form, name, value);
          if (!names.add(name.toLowerCase(Locale.ROOT))) {
            form.reject("headers." + name, "is given twice: names of headers ignore case");
          }
        });
    Optional<Body> body = BodyForm.read(form, source);
    Duration timeout =
        form.duration("timeout", SHORTEST_TIMEOUT, LONGEST_TIMEOUT)
            .orElse(Action.Http.DEFAULT_TIMEOUT);
    return url.map(target -> new Action.Http(method, target, headers, body, timeout));
  }

  private static Optional<URI> url(Form form, String text) {
    if (text.length() > MAX_URL_LENGTH) {
      form.reject("url", "must be at most " + MAX_URL_LENGTH + " characters long");
      return Optional.empty();
    }
    try {
      URI url = new URI(text);
      String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
      if (!(scheme.equals("http") || scheme.equals("https")) || url.getHost() == null) {
        form.reject("url", "must be an absolute http or https URL");
      } else if (url.getPort() == 0 || url.getPort() > MAX_PORT) {
        form.reject("url", "must have a port from 1 to " + MAX_PORT);
      } else if (url.getUserInfo() != null) {
        form.reject("url", "must not contain a user name or password; use an Authorization header");
      } else {
        return Optional.of(url);
      }
    } catch (URISyntaxException malformed) {
      form.reject("url", "must be a URL: " + malformed.getReason());
    }
    return Optional.empty();
  }

  private static Map<String, String> headers(Form action, Source source) {
    Optional<Map<String, String>> headers =
        source == Source.STORE
            ? HeadersForm.readStored(action, MAX_HEADERS)
            : action.texts(HeadersForm.FIELD, MAX_HEADERS, MAX_HEADER_LENGTH);
    return headers.orElse(Map.of());
  }

  private static void checkHeader(Form form, String name, String value) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (!HEADER_NAME.matcher(name).matches()) {
      form.reject("headers." + name, "must have a name that HTTP allows");
    } else if (RESERVED_HEADERS.contains(lower) || lower.startsWith(RESERVED_PREFIX)) {
      form.reject("headers." + name, "is set by Carillon and must be left out");
    } else if (!value.chars().allMatch(c -> (c >= ' ' && c <= '~') || c == '\t')) {
      form.reject("headers." + name, "must consist of ASCII characters that are no controls");
    }
  }

  private static Optional<Action> amqp(Form form, Source source) {
    String exchange = form.text("exchange").orElse("");
    if (!form.has("routingKey")) {
      form.reject("routingKey", "is required");
    }
    String routingKey = form.text("routingKey").orElse("");
    checkShortString(form, "exchange", exchange);
    checkShortString(form, "routingKey", routingKey);
    Map<String, String> headers = headers(form, source);
    for (String name : headers.keySet()) {
      if (name.toLowerCase(Locale.ROOT).startsWith(RESERVED_PREFIX)) {
        form.reject("headers." + name, "is set by Carillon and must be left out");
      }
    }
    Optional<Body> body = BodyForm.read(form, source);
    return Optional.of(new Action.Amqp(exchange, routingKey, headers, body));
  }

  private static void checkShortString(Form form, String name, String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length > MAX_SHORT_STRING) {
      form.reject(name, "must be at most " + MAX_SHORT_STRING + " bytes long");
    }
  }
}
