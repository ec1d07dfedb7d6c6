package dev.carillon.api;

import dev.carillon.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where the next page of a listing begins, as text that users pass back and need not understand.
 * Only text that was written here is read.
 */
final class Cursor {

  private static final String TASK = "task:";
  private static final String INDEX = "index:";
  private static final Pattern WHOLE_NUMBER = Pattern.compile("0|-?[1-9][0-9]{0,17}");

  private Cursor() {}

  static String after(TaskId id) {
    return write(TASK + id);
  }

  static Optional<TaskId> readTask(String cursor) {
    return read(TASK, cursor).flatMap(TaskId::parse);
  }

  static String from(long index) {
    return write(INDEX + index);
  }

  static Optional<Long> readIndex(String cursor) {
    return read(INDEX, cursor)
        .filter(text -> WHOLE_NUMBER.matcher(text).matches())
        .map(Long::valueOf);
  }

  private static String write(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Optional<String> read(String kind, String cursor) {
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      boolean isOurs = text.startsWith(kind) && write(text).equals(cursor);
      return isOurs ? Optional.of(text.substring(kind.length())) : Optional.empty();
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }
}
