package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.task.MessageProperty;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The properties of an AMQP message in forms. */
final class PropertiesForm {

  static final String FIELD = "properties";

  /** What the broker accepts for times to live. */
  private static final Pattern MILLISECONDS = Pattern.compile("[0-9]{1,12}");

  private static final long MAX_MILLISECONDS = 315_360_000_000L;
  private static final int MAX_PRIORITY = 255;

  private PropertiesForm() {}

  static Map<MessageProperty, String> read(Form form) {
    Map<MessageProperty, String> properties = new EnumMap<>(MessageProperty.class);
    for (MessageProperty property : MessageProperty.values()) {
      String name = property.word();
      Optional<String> value =
          property == MessageProperty.PRIORITY
              ? form.wholeNumber(name, 0, MAX_PRIORITY).map(String::valueOf)
              : form.text(name);
      value.ifPresent(text -> properties.put(property, text));
    }
    return properties;
  }

  /** What is wrong with a property as it is sent; empty when nothing is. */
  static Optional<String> problemOf(MessageProperty property, String value) {
    return switch (property) {
      case EXPIRATION ->
          MILLISECONDS.matcher(value).matches() && Long.parseLong(value) <= MAX_MILLISECONDS
              ? Optional.empty()
              : Optional.of("must be milliseconds as a string of digits, at most ten years");
      case TIMESTAMP ->
          Form.parseInstant(value).isPresent()
              ? Optional.empty()
              : Optional.of("must be an ISO-8601 instant with an offset");
      default -> Optional.empty();
    };
  }

  static Map<String, Object> toForm(Map<MessageProperty, String> properties) {
    Map<String, Object> form = new LinkedHashMap<>();
    properties.forEach(
        (property, value) ->
            form.put(
                property.word(),
                property == MessageProperty.PRIORITY ? (Object) Integer.parseInt(value) : value));
    return form;
  }
}
