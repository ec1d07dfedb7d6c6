package dev.carillon.task;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Text with places to be filled in, such as {@code {{task.id}}}. There is nothing else to it: no
 * conditions, no loops, no defaults. Pure.
 */
public final class Template {

  private static final String OPEN = "{{";
  private static final String CLOSE = "}}";

  private static final String TASK_ID = "task.id";
  private static final String TASK_NAME = "task.name";
  private static final String INDEX = "subTask.index";
  private static final String DUE_AT = "subTask.dueAt";
  private static final String ATTEMPT = "subTask.attempt";
  private static final String KEY = "idempotencyKey";
  private static final String METADATA = "metadata.";

  private Template() {}

  /** What stands for each name in the texts of a task, when the given sub-task of it runs. */
  public static Map<String, String> valuesFor(Task task, SubTask subTask) {
    Map<String, String> values = new LinkedHashMap<>();
    values.put(TASK_ID, task.id().value());
    values.put(TASK_NAME, task.definition().name());
    values.put(INDEX, Long.toString(subTask.index()));
    values.put(DUE_AT, subTask.dueAt().toString());
    values.put(ATTEMPT, Integer.toString(subTask.attempt()));
    values.put(KEY, SubTask.idempotencyKey(task.id(), subTask.index()));
    task.definition().metadata().forEach((name, value) -> values.put(METADATA + name, value));
    return values;
  }

  /**
   * Values as they may be, for looking at what a text becomes before there is a task. Those that
   * differ from one sub-task to the next are as long as they can get.
   */
  public static Map<String, String> longestValues(String name, Map<String, String> metadata) {
    String id = "7".repeat(26);
    Map<String, String> values = new LinkedHashMap<>();
    values.put(TASK_ID, id);
    values.put(TASK_NAME, name);
    values.put(INDEX, Long.toString(Long.MAX_VALUE));
    values.put(DUE_AT, "9999-12-31T23:59:59.999Z");
    values.put(ATTEMPT, Integer.toString(Integer.MAX_VALUE));
    values.put(KEY, id + "_" + Long.MAX_VALUE);
    metadata.forEach((key, value) -> values.put(METADATA + key, value));
    return values;
  }

  /** Whether there is any place to be filled in. */
  public static boolean isIn(String text) {
    return text.contains(OPEN);
  }

  /** What is wrong with a text, and where; empty when it can be filled with these values. */
  public static Optional<String> problemOf(String text, Map<String, String> values) {
    int open = text.indexOf(OPEN);
    while (open >= 0) {
      int close = text.indexOf(CLOSE, open);
      if (close < 0) {
        return Optional.of("has a {{ at position " + (open + 1) + " without its }}");
      }
      String name = name(text, open, close);
      if (!values.containsKey(name)) {
        return Optional.of(
            "has {{%s}} at position %d, which is not known; there are %s"
                .formatted(shown(name), open + 1, names(values)));
      }
      open = text.indexOf(OPEN, close + CLOSE.length());
    }
    return Optional.empty();
  }

  private static String shown(String name) {
    return name.length() > 50 ? name.substring(0, name.offsetByCodePoints(0, 25)) + "…" : name;
  }

  private static String names(Map<String, String> values) {
    return String.join(", ", values.keySet());
  }

  private static String name(String text, int open, int close) {
    return text.substring(open + OPEN.length(), close).strip();
  }

  /**
   * The text with all places filled in. Values are not looked through for templates.
   *
   * @param escape what makes a value fit where it is put
   * @throws IllegalArgumentException if there is a {@link #problemOf problem}
   */
  public static String fill(String text, Map<String, String> values, UnaryOperator<String> escape) {
    if (!isIn(text)) {
      return text;
    }
    StringBuilder filled = new StringBuilder();
    int done = 0;
    int open = text.indexOf(OPEN);
    while (open >= 0) {
      int close = text.indexOf(CLOSE, open);
      String value = close < 0 ? null : values.get(name(text, open, close));
      if (value == null) {
        throw new IllegalArgumentException(problemOf(text, values).orElse("null as a value"));
      }
      filled.append(text, done, open).append(escape.apply(value));
      done = close + CLOSE.length();
      open = text.indexOf(OPEN, done);
    }
    return filled.append(text, done, text.length()).toString();
  }
}
