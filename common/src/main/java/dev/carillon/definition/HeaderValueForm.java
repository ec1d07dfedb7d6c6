package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.task.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Values of AMQP headers in forms. Strings, booleans, numbers and lists are what they are, objects
 * are tables. What JSON has no form for is an object with one field that says what it is, such as
 * {@code {"$bytes": "AAE="}}. Pure.
 */
final class HeaderValueForm {

  /** How deep lists and tables may be in each other. */
  static final int MAX_DEPTH = 10;

  private static final String MARK = "$";
  private static final String NULL = "$null";
  private static final String TABLE = "$table";

  /** A type that is written as marked text. */
  private record Marked(Class<?> type, Function<String, Object> read) {}

  private static final Map<String, Marked> MARKED =
      Map.of(
          "$byte", new Marked(Byte.class, Byte::valueOf),
          "$short", new Marked(Short.class, Short::valueOf),
          "$long", new Marked(Long.class, Long::valueOf),
          "$float", new Marked(Float.class, Float::valueOf),
          "$double", new Marked(Double.class, Double::valueOf),
          "$decimal", new Marked(BigDecimal.class, BigDecimal::new),
          "$timestamp", new Marked(Instant.class, HeaderValueForm::instant),
          "$bytes", new Marked(Bytes.class, Bytes::new));

  private HeaderValueForm() {}

  private static Instant instant(String text) {
    return Form.parseInstant(text).orElseThrow(() -> new IllegalArgumentException(text));
  }

  /** Reads a value; what cannot be read becomes a problem of the form, and null is answered. */
  static Object read(Form form, String field, Object value) {
    return read(form, field, value, MAX_DEPTH);
  }

  private static Object read(Form form, String field, Object value, int depth) {
    if (depth == 0) {
      form.reject(field, "must not be nested more than " + MAX_DEPTH + " deep");
      return null;
    }
    if (value instanceof String text) {
      if (!Form.isUnicode(text)) {
        form.reject(field, Form.NOT_UNICODE);
      }
      return text;
    }
    if (value instanceof Boolean || value instanceof Integer || value instanceof Double) {
      return value;
    }
    if (value instanceof Long n) {
      return n == n.intValue() ? (Object) n.intValue() : n;
    }
    if (value instanceof BigDecimal fraction) {
      return fraction.doubleValue();
    }
    if (value instanceof List<?> list) {
      List<Object> elements = new ArrayList<>();
      list.forEach(element -> elements.add(read(form, field, element, depth - 1)));
      return Collections.unmodifiableList(elements);
    }
    if (value instanceof Map<?, ?> map) {
      return readMap(form, field, map, depth);
    }
    form.reject(
        field,
        value instanceof BigInteger
            ? "must be a number that 64 bits can hold"
            : "must not be null; leave it out, or write {\"$null\": true}");
    return null;
  }

  private static Object readMap(Form form, String field, Map<?, ?> map, int depth) {
    if (isMarked(map)) {
      String mark = String.valueOf(map.keySet().iterator().next());
      Object content = map.values().iterator().next();
      if (mark.equals(NULL)) {
        return null;
      }
      if (mark.equals(TABLE) && content instanceof Map<?, ?> table) {
        return table(form, field, table, depth);
      }
      return readMarked(form, field, mark, content);
    }
    return table(form, field, map, depth);
  }

  private static boolean isMarked(Map<?, ?> map) {
    return map.size() == 1 && String.valueOf(map.keySet().iterator().next()).startsWith(MARK);
  }

  private static Object table(Form form, String field, Map<?, ?> map, int depth) {
    Map<String, Object> table = new LinkedHashMap<>();
    map.forEach(
        (name, element) ->
            table.put(String.valueOf(name), read(form, field + "." + name, element, depth - 1)));
    return Collections.unmodifiableMap(table);
  }

  private static Object readMarked(Form form, String field, String mark, Object content) {
    Marked marked = MARKED.get(mark);
    if (marked != null && content != null) {
      try {
        return marked.read().apply(content.toString());
      } catch (IllegalArgumentException unreadable) {
        form.reject(field, "has a value of " + mark + " that cannot be read");
        return null;
      }
    }
    form.reject(
        field,
        "must have one of %s in place of %s; a table with such a name is written {\"$table\": {…}}"
            .formatted(String.join(", ", MARKED.keySet().stream().sorted().toList()), mark));
    return null;
  }

  /** The form that {@link #read} reads as this very value. */
  static Object toForm(Object value) {
    if (value == null) {
      return Map.of(NULL, true);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(HeaderValueForm::toForm).toList();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> table = new LinkedHashMap<>();
      map.forEach((name, element) -> table.put(String.valueOf(name), toForm(element)));
      return isMarked(table) ? Map.of(TABLE, table) : table;
    }
    boolean isPlain =
        value instanceof String
            || value instanceof Boolean
            || value instanceof Integer
            || (value instanceof Long n && n != n.intValue())
            || (value instanceof Double d && Double.isFinite(d));
    return isPlain ? value : marked(value);
  }

  private static Object marked(Object value) {
    for (Map.Entry<String, Marked> entry : MARKED.entrySet()) {
      if (entry.getValue().type().isInstance(value)) {
        return Map.of(
            entry.getKey(), value instanceof Bytes bytes ? bytes.base64() : value.toString());
      }
    }
    throw new IllegalArgumentException("no header can have a value of " + value.getClass());
  }
}
