package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.MessageProperty;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
  private static final int MAX_HEADERS = 50;
  private static final int MAX_HEADER_LENGTH = 4_000;

  /** What a publisher of its own has sent may have more of them than a user may write. */
  private static final int MAX_STORED_HEADERS = 10_000;

  private static final int MAX_HANDLER_NAME_LENGTH = 200;

  private static final String VERBATIM = "verbatim";

  private ActionReader() {}

  /**
   * @param templateValues what may stand in the place of templates
   */
  static Optional<Action> read(Form definition, Source source, Map<String, String> templateValues) {
    int before = definition.problems().size();
    return definition
        .object("action")
        .flatMap(
            form -> {
              Optional<Action> action = read(form, source);
              action.ifPresent(new ActionCheck(form, templateValues)::check);
              return definition.problems().size() == before ? action : Optional.empty();
            });
  }

  private static Optional<Action> read(Form form, Source source) {
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
      case "handler" -> action = code(form, source);
      default -> {
        form.reject("type", "must be one of \"log\", \"http\", \"amqp\", \"handler\"");
        return Optional.empty();
      }
    }
    form.rejectUnknown();
    return action;
  }

  private static Optional<Action> code(Form form, Source source) {
    if (!form.has("name")) {
      form.reject("name", "is required");
    }
    Optional<String> name = form.label("name", MAX_HANDLER_NAME_LENGTH);
    Optional<String> payload =
        source == Source.STORE ? form.text("payload") : form.value("payload").map(JsonText::write);
    return name.map(called -> new Action.Code(called, payload));
  }

  private static Optional<Action> http(Form form, Source source) {
    String method = form.text("method").orElse("POST");
    if (!METHODS.contains(method)) {
      form.reject("method", "must be one of " + String.join(", ", METHODS));
    }
    if (!form.has("url")) {
      form.reject("url", "is required");
    }
    Optional<String> url = form.text("url");
    Map<String, String> headers = textHeaders(form, source);
    Optional<Body> body = BodyForm.read(form, source);
    Duration timeout =
        form.duration("timeout", SHORTEST_TIMEOUT, LONGEST_TIMEOUT)
            .orElse(Action.Http.DEFAULT_TIMEOUT);
    boolean verbatim = form.flag(VERBATIM).orElse(false);
    return url.map(target -> new Action.Http(method, target, headers, body, timeout, verbatim));
  }

  private static Map<String, String> textHeaders(Form action, Source source) {
    if (source == Source.USER) {
      return action.texts(HeadersForm.FIELD, MAX_HEADERS, MAX_HEADER_LENGTH).orElse(Map.of());
    }
    Map<String, String> headers = new LinkedHashMap<>();
    HeadersForm.readStored(action, MAX_HEADERS)
        .forEach((name, value) -> headers.put(name, String.valueOf(value)));
    return headers;
  }

  private static Optional<Action> amqp(Form form, Source source) {
    String exchange = form.text("exchange").orElse("");
    if (!form.has("routingKey")) {
      form.reject("routingKey", "is required");
    }
    String routingKey = form.text("routingKey").orElse("");
    Optional<Form> properties = form.object(PropertiesForm.FIELD);
    Map<String, Object> headers =
        source == Source.STORE ? storedHeaders(form) : userHeaders(form, properties);
    Map<MessageProperty, String> read = properties.map(PropertiesForm::read).orElse(Map.of());
    properties.ifPresent(Form::rejectUnknown);
    Optional<Body> body = BodyForm.read(form, source);
    boolean verbatim = form.flag(VERBATIM).orElse(false);
    return Optional.of(new Action.Amqp(exchange, routingKey, headers, read, body, verbatim));
  }

  /** Without our own, which earlier versions have stored with messages that were sent once more. */
  private static Map<String, Object> storedHeaders(Form action) {
    Map<String, Object> headers = HeadersForm.readStored(action, MAX_STORED_HEADERS);
    headers.keySet().removeIf(ActionCheck::isOwnHeader);
    return headers;
  }

  /** Beside the properties or among them, where AMQP has them. */
  private static Map<String, Object> userHeaders(Form action, Optional<Form> properties) {
    boolean amongProperties = properties.filter(form -> form.has(HeadersForm.FIELD)).isPresent();
    if (amongProperties && action.has(HeadersForm.FIELD)) {
      action.reject(HeadersForm.FIELD, "must not be given beside properties.headers");
    }
    Form holder = amongProperties ? properties.orElseThrow() : action;
    Optional<Form> form = holder.object(HeadersForm.FIELD);
    Map<String, Object> headers = new LinkedHashMap<>();
    form.ifPresent(
        given -> {
          if (given.names().size() > MAX_HEADERS) {
            holder.reject(HeadersForm.FIELD, "must have at most " + MAX_HEADERS + " fields");
            return;
          }
          for (String name : given.names()) {
            given
                .value(name)
                .ifPresent(value -> headers.put(name, HeaderValueForm.read(given, name, value)));
          }
          if (HeaderSize.of(headers) > HeaderSize.LIMIT) {
            holder.reject(
                HeadersForm.FIELD, "must be at most " + HeaderSize.LIMIT + " bytes in all");
          }
        });
    return headers;
  }
}
