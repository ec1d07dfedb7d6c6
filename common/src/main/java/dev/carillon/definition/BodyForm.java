package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.task.Action.Body;
import java.util.Map;
import java.util.Optional;

/**
 * Bodies in forms. A user writes a string, which is sent as it is, any other JSON value, which is
 * sent as JSON, or bytes in base 64 in a field of their own. The store keeps the text that is sent,
 * since numbers and field names of JSON do not all survive as BSON.
 */
final class BodyForm {

  static final String FIELD = "body";
  static final String BASE64_FIELD = "bodyBase64";

  private static final String JSON = "json";
  private static final String TEXT = "text";
  private static final String BASE64 = "base64";

  private BodyForm() {}

  static Optional<Body> read(Form action, ActionReader.Source source) {
    return source == ActionReader.Source.STORE
        ? action.object(FIELD).flatMap(BodyForm::readStored)
        : readNew(action);
  }

  private static Optional<Body> readStored(Form stored) {
    if (stored.has(BASE64)) {
      return stored.text(BASE64).flatMap(text -> base64(stored, BASE64, text));
    }
    return stored.has(JSON)
        ? stored.text(JSON).map(Body::json)
        : Optional.of(Body.text(stored.text(TEXT).orElse("")));
  }

  private static Optional<Body> readNew(Form action) {
    if (action.has(BASE64_FIELD)) {
      if (action.has(FIELD)) {
        action.reject(BASE64_FIELD, "must not be given beside body");
      }
      return action.text(BASE64_FIELD).flatMap(text -> base64(action, BASE64_FIELD, text));
    }
    return action
        .value(FIELD)
        .map(
            value ->
                value instanceof String text ? Body.text(text) : Body.json(JsonText.write(value)))
        .filter(
            body -> {
              if (!Form.isUnicode(body.text())) {
                action.reject(FIELD, Form.NOT_UNICODE);
                return false;
              }
              return true;
            });
  }

  private static Optional<Body> base64(Form form, String field, String text) {
    try {
      return Optional.of(new Body(text, Body.Kind.BASE64));
    } catch (IllegalArgumentException malformed) {
      form.reject(field, "must be base 64 (RFC 4648, section 4)");
      return Optional.empty();
    }
  }

  static void writeUserForm(Body body, Map<String, Object> action) {
    switch (body.kind()) {
      case TEXT -> action.put(FIELD, body.text());
      case JSON -> action.put(FIELD, JsonText.read(body.text()));
      case BASE64 -> action.put(BASE64_FIELD, body.text());
    }
  }

  static void writeStoredForm(Body body, Map<String, Object> action) {
    String kind =
        switch (body.kind()) {
          case TEXT -> TEXT;
          case JSON -> JSON;
          case BASE64 -> BASE64;
        };
    action.put(FIELD, Map.of(kind, body.text()));
  }
}
