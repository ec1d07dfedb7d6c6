package dev.carillon.api;

import dev.carillon.form.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A body with many tasks: an array of objects, or an object a line. */
final class BatchBody {

  static final String LINES = "application/x-ndjson";
  static final int MAX_BYTES = 16 << 20;

  private static final RequestBody.Limits LIMITS =
      new RequestBody.Limits(MAX_BYTES, Set.of(Answer.JSON, LINES));

  private final byte[] content;
  private final boolean isInLines;

  BatchBody(byte[] content, boolean isInLines) {
    this.content = content;
    this.isInLines = isInLines;
  }

  /**
   * @throws RefusedException for anything but one of the two types that is small enough
   */
  static BatchBody receive(HttpServletRequest request, Duration timeToArrive) {
    byte[] content = RequestBody.receive(request, timeToArrive, LIMITS);
    return new BatchBody(content, RequestBody.typeOf(request).equals(LINES));
  }

  /** Unlike that of a single task's body, even if that is the same. */
  String fingerprint() {
    return "batch:" + IdempotencyKey.fingerprint(content);
  }

  /** One of the tasks, as it was sent. */
  interface Entry {

    /**
     * Its fields.
     *
     * @throws RefusedException when it is not an object
     */
    Map<?, ?> content();
  }

  /**
   * The tasks in their order.
   *
   * @throws RefusedException when the body as a whole is wrong, or there are more than so many
   */
  List<Entry> entries(int most) {
    List<Entry> entries = isInLines ? lines(most) : elements();
    if (entries.size() > most) {
      throw RefusedException.malformed("must have at most " + most + " tasks");
    }
    return entries;
  }

  private List<Entry> elements() {
    List<Entry> entries = new ArrayList<>();
    for (Object element : StrictJson.array(content)) {
      entries.add(() -> object(element));
    }
    return entries;
  }

  private static Map<?, ?> object(Object element) {
    if (element instanceof Map<?, ?> object) {
      return object;
    }
    throw new RefusedException(Problems.invalid(List.of(new Problem("", "must be a JSON object"))));
  }

  /** Lines with nothing in them do not count. Reads no more than show that there are too many. */
  private List<Entry> lines(int most) {
    List<Entry> entries = new ArrayList<>();
    int start = 0;
    while (start < content.length && entries.size() <= most) {
      int end = start;
      while (end < content.length && content[end] != '\n') {
        end++;
      }
      byte[] line = Arrays.copyOfRange(content, start, end);
      if (!isBlank(line)) {
        entries.add(() -> StrictJson.object(line));
      }
      start = end + 1;
    }
    return entries;
  }

  private static boolean isBlank(byte[] line) {
    for (byte character : line) {
      if (character != ' ' && character != '\t' && character != '\r') {
        return false;
      }
    }
    return true;
  }
}
