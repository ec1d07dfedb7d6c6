package dev.carillon.definition;

import dev.carillon.form.Form;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Headers in stored forms: a list of names and values. Not every store takes a name with dots or
 * dollar signs, which are common in headers, for the name of a field.
 */
final class HeadersForm {

  static final String FIELD = "headers";

  private static final String NAME = "name";
  private static final String VALUE = "value";

  private HeadersForm() {}

  static Optional<Map<String, String>> readStored(Form action, int maxSize) {
    return action
        .objects(FIELD, maxSize)
        .map(
            stored -> {
              Map<String, String> headers = new LinkedHashMap<>();
              for (Form header : stored) {
                required(header, NAME)
                    .ifPresent(
                        name ->
                            required(header, VALUE).ifPresent(value -> headers.put(name, value)));
                header.rejectUnknown();
              }
              return headers;
            });
  }

  private static Optional<String> required(Form header, String field) {
    if (!header.has(field)) {
      header.reject(field, "is required");
    }
    return header.text(field);
  }

  static List<Map<String, Object>> toStoredForm(Map<String, String> headers) {
    List<Map<String, Object>> stored = new ArrayList<>();
    headers.forEach(
        (name, value) -> {
          Map<String, Object> header = new LinkedHashMap<>();
          header.put(NAME, name);
          header.put(VALUE, value);
          stored.add(header);
        });
    return stored;
  }
}
