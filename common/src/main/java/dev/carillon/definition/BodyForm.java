package dev.carillon.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.carillon.form.Form;
import dev.carillon.task.Action.Body;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;

/**
 * Bodies in forms. A user writes a string, which is sent as it is, or any other JSON value, which
 * is sent as JSON. The store keeps the text that is sent, since numbers and field names of JSON do
 * not all survive as BSON.
 */
final class BodyForm {

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
          .build();

  private static final String FIELD = "body";

  private BodyForm() {}

  static Optional<Body> read(Form action, ActionReader.Source source) {
    if (source == ActionReader.Source.STORE) {
      return action
          .object(FIELD)
          .map(
              stored ->
                  stored.has("json")
                      ? new Body(stored.text("json").orElse("null"), true)
                      : new Body(stored.text("text").orElse(""), false));
    }
    return action
        .value(FIELD)
        .map(
            value ->
                value instanceof String text
                    ? new Body(text, false)
                    : new Body(toJson(value), true))
        .filter(
            body -> {
              if (!Form.isUnicode(body.text())) {
                action.reject(FIELD, Form.NOT_UNICODE);
                return false;
              }
              return true;
            });
  }

  static Object toUserForm(Body body) {
    return body.isJson() ? fromJson(body.text()) : body.text();
  }

  static Map<String, Object> toStoredForm(Body body) {
    return Map.of(body.isJson() ? "json" : "text", body.text());
  }

  private static String toJson(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("a tree of plain values has a JSON form", impossible);
    }
  }

  private static Object fromJson(String json) {
    try {
      return JSON.readValue(json, Object.class);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("the body was written as JSON", impossible);
    }
  }
}
