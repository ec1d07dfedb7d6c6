package dev.carillon.task;

import dev.carillon.task.Action.Body;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The texts in an action that may have templates in them. Pure. */
public final class ActionTexts {

  /** What is done with each text. */
  public interface Change {

    /**
     * Gives the text that is to stand there instead.
     *
     * @param field where it stands, for example {@code headers.X-Tenant}
     */
    String apply(String field, String text, Escape escape);
  }

  private ActionTexts() {}

  /** The action with all templates filled in. */
  public static Action fill(Action action, Map<String, String> values) {
    return change(action, (field, text, escape) -> Template.fill(text, values, escape::apply));
  }

  /** The action with its texts changed; unchanged if it is verbatim or has no texts. */
  public static Action change(Action action, Change change) {
    if (action instanceof Action.Http http && !http.verbatim()) {
      return change(http, change);
    }
    return action instanceof Action.Amqp amqp && !amqp.verbatim() ? change(amqp, change) : action;
  }

  private static Action change(Action.Http http, Change change) {
    Map<String, String> headers = new LinkedHashMap<>();
    http.headers()
        .forEach(
            (name, value) ->
                headers.put(name, change.apply("headers." + name, value, Escape.NONE)));
    Optional<String> type =
        http.headers().entrySet().stream()
            .filter(header -> header.getKey().toLowerCase(Locale.ROOT).equals("content-type"))
            .map(Map.Entry::getValue)
            .findFirst();
    return new Action.Http(
        http.method(),
        change.apply("url", http.url(), Escape.URL),
        headers,
        http.body().map(body -> change(body, type, change)),
        http.timeout(),
        http.verbatim());
  }

  private static Action change(Action.Amqp amqp, Change change) {
    Map<String, Object> headers = new LinkedHashMap<>();
    amqp.headers()
        .forEach((name, value) -> headers.put(name, changeIn(value, "headers." + name, change)));
    Map<MessageProperty, String> properties = new EnumMap<>(MessageProperty.class);
    amqp.properties()
        .forEach(
            (property, text) ->
                properties.put(
                    property, change.apply("properties." + property.word(), text, Escape.NONE)));
    Optional<String> type =
        Optional.ofNullable(amqp.properties().get(MessageProperty.CONTENT_TYPE));
    return new Action.Amqp(
        change.apply("exchange", amqp.exchange(), Escape.NONE),
        change.apply("routingKey", amqp.routingKey(), Escape.NONE),
        headers,
        properties,
        amqp.body().map(body -> change(body, type, change)),
        amqp.verbatim());
  }

  private static Object changeIn(Object value, String field, Change change) {
    if (value instanceof String text) {
      return change.apply(field, text, Escape.NONE);
    }
    if (value instanceof List<?> list) {
      List<Object> changed = new ArrayList<>();
      list.forEach(element -> changed.add(changeIn(element, field, change)));
      return changed;
    }
    if (value instanceof Map<?, ?> table) {
      Map<String, Object> changed = new LinkedHashMap<>();
      table.forEach(
          (name, element) -> changed.put(String.valueOf(name), changeIn(element, field, change)));
      return changed;
    }
    return value;
  }

  private static Body change(Body body, Optional<String> type, Change change) {
    return switch (body.kind()) {
      case BASE64 -> body;
      case JSON -> Body.json(change.apply("body", body.text(), Escape.JSON));
      case TEXT ->
          Body.text(
              change.apply("body", body.text(), Escape.forContent(type.orElse("text/plain"))));
    };
  }
}
