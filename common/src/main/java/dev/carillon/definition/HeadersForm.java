package dev.carillon.definition;

import dev.carillon.form.Form;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Headers in stored forms: a list of names and values. Not every store takes a name with dots or
 * dollar signs, which are common in headers, for the name of a field. So a value that is no string
 * is kept as the JSON of its form.
 */
final class HeadersForm {

  static final String FIELD = "headers";

  private static final String NAME = "name";
  private static final String VALUE = "value";
  private static final String JSON_VALUE = "json";

  private HeadersForm() {}

  static Map<String, Object> readStored(Form action, int maxSize) {
    Map<String, Object> headers = new LinkedHashMap<>();
    for (Form header : action.objects(FIELD, maxSize).orElse(List.of())) {
      Optional<String> name = required(header, NAME);
      if (header.has(JSON_VALUE)) {
        Optional<String> json = header.text(JSON_VALUE);
        if (name.isPresent() && json.isPresent()) {
          Object form = JsonText.read(json.get());
          headers.put(name.get(), HeaderValueForm.read(header, JSON_VALUE, form));
        }
      } else {
        Optional<String> value = required(header, VALUE);
        name.ifPresent(n -> value.ifPresent(v -> headers.put(n, v)));
      }
      header.rejectUnknown();
    }
    return headers;
  }

  private static Optional<String> required(Form header, String field) {
    if (!header.has(field)) {
      header.reject(field, "is required");
    }
    return header.text(field);
  }

  static List<Map<String, Object>> toStoredForm(Map<String, ?> headers) {
    List<Map<String, Object>> stored = new ArrayList<>();
    headers.forEach(
        (name, value) -> {
          Map<String, Object> header = new LinkedHashMap<>();
          header.put(NAME, name);
          if (value instanceof String) {
            header.put(VALUE, value);
          } else {
            header.put(JSON_VALUE, JsonText.write(HeaderValueForm.toForm(value)));
          }
          stored.add(header);
        });
    return stored;
  }

  static Map<String, Object> toUserForm(Map<String, ?> headers) {
    Map<String, Object> form = new LinkedHashMap<>();
    headers.forEach((name, value) -> form.put(name, HeaderValueForm.toForm(value)));
    return form;
  }
}
