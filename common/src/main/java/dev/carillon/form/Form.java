package dev.carillon.form;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Strict reading of untyped input: the tree of maps, lists, strings, numbers and booleans that a
 * JSON or BSON parser yields. Every problem is collected, none is thrown, so that a user sees all
 * of them at once.
 *
 * <p>A getter answers empty both when the field is absent and when it is wrong; in the second case
 * a {@link Problem} was added. A field that is present with the value null is a problem: leaving
 * out and setting to nothing are not the same. Nothing is converted: {@code "5"} is not a number.
 *
 * <p>Not thread-safe; one form is read by one thread.
 */
public final class Form {

  /** Latest instant that is accepted. Later years have no common notation and no use. */
  public static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

  /** Earliest instant that is accepted. */
  public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  /** What is wrong with text that {@link #isUnicode} refuses. */
  public static final String NOT_UNICODE =
      "must be Unicode: it has one half of a surrogate pair without the other";

  private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

  private final String path;
  private final Map<String, Object> fields;
  private final List<Problem> problems;
  private final Set<String> asked = new HashSet<>();

  private Form(String path, Map<?, ?> fields, List<Problem> problems) {
    this.path = path;
    this.fields = new LinkedHashMap<>();
    fields.forEach((name, value) -> this.fields.put(String.valueOf(name), value));
    this.problems = problems;
  }

  /** Starts reading a whole input. */
  public static Form of(Map<?, ?> fields) {
    return new Form("", fields, new ArrayList<>());
  }

  /** Everything found wrong so far, in the order of reading, in this form and all its parts. */
  public List<Problem> problems() {
    return Collections.unmodifiableList(problems);
  }

  /** Adds a problem with a field of this form, or with the form itself when the name is empty. */
  public void reject(String name, String message) {
    Problem problem = new Problem(pathOf(name), message);
    if (!problems.contains(problem)) { // a field may be asked for twice
      problems.add(problem);
    }
  }

  /** Whether the field is there at all, even if its value is null or wrong. Counts as asked for. */
  public boolean has(String name) {
    asked.add(name);
    return fields.containsKey(name);
  }

  /** Whether the field is not there, or null, which is as good as that where it is required. */
  public boolean isLeftOut(String name) {
    return !has(name) || fields.get(name) == null;
  }

  /** The value as it came; empty when absent or null (null is a problem). */
  public Optional<Object> value(String name) {
    if (!has(name)) {
      return Optional.empty();
    }
    Object value = fields.get(name);
    if (value == null) {
      reject(name, "must not be null; leave it out instead");
    }
    return Optional.ofNullable(value);
  }

  /** A string, blank ones included. */
  public Optional<String> text(String name) {
    return value(name).flatMap(value -> text(name, value));
  }

  /**
   * A string with at least one visible character, at most {@code maxLength} characters long and
   * without control characters.
   */
  public Optional<String> label(String name, int maxLength) {
    return text(name).filter(text -> isLabel(name, text, maxLength));
  }

  /** A string without control characters: what may stand in a header or a name. */
  private boolean isLabel(String name, String text, int maxLength) {
    if (text.codePoints().noneMatch(Form::isVisible)) {
      reject(name, "must not be empty");
    } else if (text.codePointCount(0, text.length()) > maxLength) {
      reject(name, "must be at most " + maxLength + " characters long");
    } else if (!isUnicode(text)) {
      reject(name, NOT_UNICODE);
    } else if (text.chars().anyMatch(Character::isISOControl)) {
      reject(name, "must not contain control characters");
    } else {
      return true;
    }
    return false;
  }

  /** A whole number from {@code min} to {@code max}, both included. */
  public Optional<Long> wholeNumber(String name, long min, long max) {
    Optional<BigInteger> number = value(name).flatMap(value -> whole(name, value));
    if (number.isEmpty()) {
      return Optional.empty();
    }
    BigInteger n = number.get();
    boolean fitsLong = n.compareTo(MIN_LONG) >= 0 && n.compareTo(MAX_LONG) <= 0;
    if (!fitsLong || n.longValue() < min || n.longValue() > max) {
      reject(name, "must be from " + min + " to " + max);
      return Optional.empty();
    }
    return Optional.of(n.longValue());
  }

  /** A number from {@code min} to {@code max}, both included, with or without a fraction. */
  public Optional<Double> number(String name, double min, double max) {
    Optional<Object> value = value(name);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (!(value.get() instanceof Number number)) {
      reject(name, "must be a number");
      return Optional.empty();
    }
    double n = number.doubleValue();
    if (!(n >= min && n <= max)) {
      reject(name, "must be from " + min + " to " + max);
      return Optional.empty();
    }
    return Optional.of(n);
  }

  /** {@code true} or {@code false}. */
  public Optional<Boolean> flag(String name) {
    Optional<Object> value = value(name);
    if (value.isPresent() && !(value.get() instanceof Boolean)) {
      reject(name, "must be true or false");
      return Optional.empty();
    }
    return value.map(Boolean.class::cast);
  }

  /** One of a few words, compared exactly. */
  public <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
    return text(name)
        .flatMap(
            text -> {
              for (E constant : type.getEnumConstants()) {
                if (word(constant).equals(text)) {
                  return Optional.of(constant);
                }
              }
              List<String> words = new ArrayList<>();
              for (E constant : type.getEnumConstants()) {
                words.add('"' + word(constant) + '"');
              }
              reject(name, "must be one of " + String.join(", ", words));
              return Optional.empty();
            });
  }

  /** How {@link #choice} spells a constant: lower case with hyphens. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** An ISO-8601 instant with an offset, cut to whole milliseconds. */
  public Optional<Instant> instant(String name) {
    Optional<Object> value = value(name);
    Optional<Instant> instant =
        value.filter(String.class::isInstance).map(String.class::cast).flatMap(Form::parseInstant);
    if (value.isPresent() && instant.isEmpty()) {
      reject(
          name,
          "must be an ISO-8601 instant with an offset and a year from 0001 to 9999, such as"
              + " \"2027-01-04T08:00:00Z\" or \"2027-01-04T09:00:00+01:00\"");
    }
    return instant;
  }

  /** Reads an ISO-8601 instant with an offset; empty when it is not one or out of range. */
  public static Optional<Instant> parseInstant(String text) {
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MILLIS);
      boolean inRange = !instant.isBefore(EARLIEST) && !instant.isAfter(LATEST);
      return inRange ? Optional.of(instant) : Optional.empty();
    } catch (DateTimeException notAnInstant) {
      return Optional.empty();
    }
  }

  /** An ISO-8601 duration of days, hours, minutes and seconds, both bounds included. */
  public Optional<Duration> duration(String name, Duration min, Duration max) {
    return text(name)
        .flatMap(
            text -> {
              Duration duration;
              try {
                duration = Duration.parse(text);
              } catch (DateTimeException notADuration) {
                reject(name, "must be an ISO-8601 duration such as \"PT30S\"");
                return Optional.empty();
              }
              if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
                reject(name, "must be from " + min + " to " + max);
                return Optional.empty();
              }
              return Optional.of(duration.truncatedTo(ChronoUnit.MILLIS));
            });
  }

  /** An object, to be read on as a form of its own that adds to the same problems. */
  public Optional<Form> object(String name) {
    Optional<Object> value = value(name);
    if (value.isPresent() && !(value.get() instanceof Map)) {
      reject(name, "must be an object");
      return Optional.empty();
    }
    return value.map(map -> new Form(pathOf(name), (Map<?, ?>) map, problems));
  }

  /**
   * An object that stands in a list of this form, to be read as a form of its own that adds to the
   * same problems.
   *
   * @param name the element's path in this form, for example {@code exclude[2]}
   */
  public Form element(String name, Map<?, ?> fields) {
    return new Form(pathOf(name), fields, problems);
  }

  /** A list of at most {@code maxSize} elements, as they came; null elements are a problem. */
  public Optional<List<Object>> list(String name, int maxSize) {
    Optional<Object> value = value(name);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (!(value.get() instanceof List<?> list)) {
      reject(name, "must be a list");
      return Optional.empty();
    }
    if (list.size() > maxSize) {
      reject(name, "must have at most " + maxSize + " elements");
      return Optional.empty();
    }
    if (list.stream().anyMatch(Objects::isNull)) {
      reject(name, "must not contain null");
      return Optional.empty();
    }
    return Optional.of(List.copyOf(list));
  }

  /** A list of objects, each to be read on as a form of its own that adds to the same problems. */
  public Optional<List<Form>> objects(String name, int maxSize) {
    return list(name, maxSize)
        .map(
            list -> {
              List<Form> forms = new ArrayList<>();
              for (int i = 0; i < list.size(); i++) {
                String element = name + "[" + i + "]";
                if (list.get(i) instanceof Map<?, ?> map) {
                  forms.add(new Form(pathOf(element), map, problems));
                } else {
                  reject(element, "must be an object");
                }
              }
              return forms;
            });
  }

  /** A list of labels, see {@link #label}, without repetitions and in the order given. */
  public Optional<List<String>> labels(String name, int maxSize, int maxLength) {
    return list(name, maxSize)
        .map(
            list -> {
              Set<String> labels = new LinkedHashSet<>();
              for (int i = 0; i < list.size(); i++) {
                String element = name + "[" + i + "]";
                text(element, list.get(i))
                    .filter(text -> isLabel(element, text, maxLength))
                    .ifPresent(labels::add);
              }
              return List.copyOf(labels);
            });
  }

  /** An object whose values are all strings, in the order given. */
  public Optional<Map<String, String>> texts(String name, int maxSize, int maxLength) {
    return object(name)
        .map(
            form -> {
              Map<String, String> texts = new LinkedHashMap<>();
              if (form.fields.size() > maxSize) {
                reject(name, "must have at most " + maxSize + " fields");
                return texts;
              }
              for (String key : form.fields.keySet()) {
                if (form.isLabel(key, key, 200)) {
                  form.text(key)
                      .filter(text -> form.fits(key, text, maxLength))
                      .ifPresent(text -> texts.put(key, text));
                }
              }
              return texts;
            });
  }

  private boolean fits(String name, String text, int maxLength) {
    if (text.length() > maxLength) {
      reject(name, "must be at most " + maxLength + " characters long");
      return false;
    }
    return true;
  }

  /** The names of all fields that are there, in their order. Does not count as asked for. */
  public Set<String> names() {
    return Collections.unmodifiableSet(fields.keySet());
  }

  /** Adds a problem for each field that no getter asked for. Call it last. */
  public void rejectUnknown() {
    for (String name : fields.keySet()) {
      if (!asked.contains(name)) {
        reject(name, "is not a known field");
      }
    }
  }

  private Optional<String> text(String name, Object value) {
    if (!(value instanceof String text)) {
      reject(name, "must be a string");
      return Optional.empty();
    }
    if (!isUnicode(text)) {
      reject(name, NOT_UNICODE);
      return Optional.empty();
    }
    return Optional.of(text);
  }

  private static boolean isVisible(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.FORMAT,
          Character.UNASSIGNED ->
          false;
      default -> codePoint != '\t' && codePoint != '\n' && codePoint != '\r';
    };
  }

  /** Half a surrogate pair has no form in UTF-8: it would be stored and sent as something else. */
  public static boolean isUnicode(String text) {
    return text.codePoints().noneMatch(c -> Character.getType(c) == Character.SURROGATE);
  }

  private Optional<BigInteger> whole(String name, Object value) {
    if (value instanceof Integer || value instanceof Long || value instanceof Short) {
      return Optional.of(BigInteger.valueOf(((Number) value).longValue()));
    }
    if (value instanceof BigInteger big) {
      return Optional.of(big);
    }
    if (value instanceof Double || value instanceof Float || value instanceof BigDecimal) {
      reject(name, "must be a whole number without a fraction or an exponent");
    } else {
      reject(name, "must be a whole number");
    }
    return Optional.empty();
  }

  private String pathOf(String name) {
    if (name.isEmpty()) {
      return path;
    }
    return path.isEmpty() ? name : path + "." + name;
  }
}
