package dev.carillon.api;

import dev.carillon.form.Problem;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Strict reading of a query string: every problem is collected, {@link #check} reports them all. A
 * parameter without a value is one: whoever sends it has meant something by it. Only the cursor may
 * be empty, for the first page. Not thread-safe.
 */
final class QueryParameters {

  static final int DEFAULT_LIMIT = 50;
  static final int MAX_LIMIT = 200;

  /** What becomes of the plus of an offset that is not percent-encoded. */
  private static final Pattern LOST_PLUS = Pattern.compile(".*T.* [0-9]{2}:?[0-9]{2}");

  private static final Pattern WHOLE = Pattern.compile("[0-9]{1,18}");
  private static final Pattern LIMIT = Pattern.compile("[0-9]{1,4}");

  private static final String CURSOR = "cursor";

  private final Map<String, String> values = new LinkedHashMap<>();
  private final List<Problem> problems = new ArrayList<>();
  private final Set<String> asked = new HashSet<>();

  private QueryParameters() {}

  /**
   * @param query what follows the question mark, not decoded yet; null when there is none
   */
  static QueryParameters of(String query) {
    QueryParameters parameters = new QueryParameters();
    if (query != null) {
      for (String pair : query.split("&", -1)) {
        parameters.add(pair);
      }
    }
    return parameters;
  }

  private void add(String pair) {
    int equals = pair.indexOf('=');
    try {
      String name = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      if (!name.isEmpty() && values.put(name, value) != null) {
        reject(name, "must be given only once");
      } else if (!name.isEmpty() && value.isEmpty() && !name.equals(CURSOR)) {
        reject(name, "must not be empty; leave it out instead");
      }
    } catch (IllegalArgumentException malformed) {
      problems.add(new Problem(pair, "is not percent-encoded as it should be"));
    }
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  Optional<String> text(String name) {
    asked.add(name);
    return Optional.ofNullable(values.get(name)).filter(value -> !value.isEmpty());
  }

  /** How many elements a page is to have at most. */
  int limit() {
    Optional<Integer> limit =
        text("limit")
            .map(text -> LIMIT.matcher(text).matches() ? Integer.parseInt(text) : 0)
            .filter(
                number -> {
                  boolean isAllowed = number >= 1 && number <= MAX_LIMIT;
                  if (!isAllowed) {
                    reject("limit", "must be a whole number from 1 to " + MAX_LIMIT);
                  }
                  return isAllowed;
                });
    return limit.orElse(DEFAULT_LIMIT);
  }

  /** A constant of a type, written as in answers. */
  <E extends Enum<E>> Optional<E> constant(String name, Class<E> type) {
    Optional<String> text = text(name);
    Optional<E> found =
        text.flatMap(
            value ->
                Arrays.stream(type.getEnumConstants())
                    .filter(constant -> constant.name().equals(value))
                    .findFirst());
    if (text.isPresent() && found.isEmpty()) {
      reject(
          name,
          "must be one of "
              + Arrays.stream(type.getEnumConstants())
                  .map(Enum::name)
                  .collect(Collectors.joining(", ")));
    }
    return found;
  }

  /** Where the page begins; empty for the first. */
  <T> Optional<T> cursor(Function<String, Optional<T>> read) {
    Optional<String> text = text(CURSOR);
    Optional<T> cursor = text.flatMap(read);
    if (text.isPresent() && cursor.isEmpty()) {
      reject(CURSOR, "must be the nextCursor of an earlier answer");
    }
    return cursor;
  }

  /**
   * All parameters as fields of a form, whole numbers as such; nothing is left to ask for here.
   * Form readers tell what is wrong with the values, but for what is lost in a query.
   *
   * @throws RefusedException when they cannot be read at all
   */
  Map<String, Object> asForm() {
    asked.addAll(values.keySet());
    values.forEach(
        (name, value) -> {
          if (LOST_PLUS.matcher(value).matches()) {
            reject(name, "has a space where an offset begins: write the plus as %2B");
          }
        });
    check();
    Map<String, Object> form = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> {
          if (!value.isEmpty()) {
            form.put(name, WHOLE.matcher(value).matches() ? (Object) Long.valueOf(value) : value);
          }
        });
    return form;
  }

  /**
   * Call it last.
   *
   * @throws RefusedException when anything is wrong, or a parameter was given that nobody asked for
   */
  void check() {
    for (String name : values.keySet()) {
      if (!asked.contains(name)) {
        reject(name, "is not a known query parameter");
      }
    }
    if (!problems.isEmpty()) {
      throw new RefusedException(Problems.invalid(problems));
    }
  }

  private void reject(String name, String message) {
    problems.add(new Problem(name, message));
  }
}
