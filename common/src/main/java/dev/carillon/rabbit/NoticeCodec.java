package dev.carillon.rabbit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.carillon.queue.Notice;
import dev.carillon.task.Priority;
import dev.carillon.task.TaskId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Messages with one notice, or several, as JSON that people can read. Fields that are not known are
 * ignored, so that a later version may add some; a message that cannot be understood without them
 * gets another number. Thread-safe.
 */
final class NoticeCodec {

  static final String CONTENT_TYPE = "application/json";

  /** Most notices that one message may have. */
  static final int MOST_NOTICES = 100;

  /** A message that is a notice. */
  private static final int ONE = 1;

  /** A message with a list of notices. */
  private static final int SEVERAL = 2;

  private static final int MAX_BYTES = 64 * 1024;

  private static final String VERSION = "version";
  private static final String NOTICES = "notices";

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** A message is not a notice. Says why, for people, and shows nothing of the message. */
  static final class UnreadableNoticeException extends Exception {
    UnreadableNoticeException(String reason) {
      super(reason);
    }

    static UnreadableNoticeException field(String name) {
      return new UnreadableNoticeException("the field " + name + " is missing or wrong");
    }

    static UnreadableNoticeException noObject() {
      return new UnreadableNoticeException("not an object with the fields of a notice");
    }
  }

  /**
   * @param notices from 1 to {@link #MOST_NOTICES}
   */
  byte[] encode(List<Notice> notices) {
    ObjectNode message = JSON.createObjectNode();
    if (notices.size() == 1) {
      message.put(VERSION, ONE);
      write(notices.get(0), message);
    } else {
      message.put(VERSION, SEVERAL);
      ArrayNode list = message.putArray(NOTICES);
      notices.forEach(notice -> write(notice, list.addObject()));
    }
    try {
      return JSON.writeValueAsBytes(message);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Notice notice, ObjectNode to) {
    to.put("task", notice.task().value())
        .put("index", notice.index())
        .put("attempt", notice.attempt())
        .put("token", notice.token())
        .put("runAt", notice.runAt().toString())
        .put("queue", notice.queue())
        .put("parkedAt", notice.parkedAt().toString());
    if (notice.priority() != Priority.NORMAL) {
      to.put("priority", word(notice.priority()));
    }
  }

  /** The notices of a message; at least one. */
  List<Notice> decode(byte[] body) throws UnreadableNoticeException {
    if (body.length > MAX_BYTES) {
      throw new UnreadableNoticeException(body.length + " bytes are too many for a notice");
    }
    JsonNode message = parse(body);
    long version = whole(message, VERSION);
    if (version == ONE) {
      return List.of(read(message));
    }
    if (version != SEVERAL) {
      throw new UnreadableNoticeException("unknown version " + version);
    }
    JsonNode list = message.path(NOTICES);
    if (!list.isArray() || list.isEmpty() || list.size() > MOST_NOTICES) {
      throw UnreadableNoticeException.field(NOTICES);
    }
    List<Notice> notices = new ArrayList<>(list.size());
    for (JsonNode each : list) {
      notices.add(read(each));
    }
    return notices;
  }

  private static JsonNode parse(byte[] body) throws UnreadableNoticeException {
    try {
      JsonNode message = JSON.readTree(body);
      if (!message.isObject()) {
        throw UnreadableNoticeException.noObject();
      }
      return message;
    } catch (IOException e) {
      throw new UnreadableNoticeException("not JSON");
    }
  }

  private static Notice read(JsonNode fields) throws UnreadableNoticeException {
    String queue = text(fields, "queue");
    if (queue.getBytes(StandardCharsets.UTF_8).length > AmqpMessage.MAX_NAME_BYTES) {
      throw new UnreadableNoticeException("the name of its queue is too long");
    }
    long attempt = whole(fields, "attempt");
    if (attempt != (int) attempt) {
      throw UnreadableNoticeException.field("attempt");
    }
    return new Notice(
        TaskId.parse(text(fields, "task"))
            .orElseThrow(() -> UnreadableNoticeException.field("task")),
        whole(fields, "index"),
        (int) attempt,
        whole(fields, "token"),
        instant(fields, "runAt"),
        queue,
        instant(fields, "parkedAt"),
        priority(fields));
  }

  private static String text(JsonNode fields, String name) throws UnreadableNoticeException {
    JsonNode value = fields.path(name);
    if (!value.isTextual()) {
      throw UnreadableNoticeException.field(name);
    }
    return value.textValue();
  }

  private static long whole(JsonNode fields, String name) throws UnreadableNoticeException {
    JsonNode value = fields.path(name);
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw UnreadableNoticeException.field(name);
    }
    return value.longValue();
  }

  private static Instant instant(JsonNode fields, String name) throws UnreadableNoticeException {
    try {
      return Instant.parse(text(fields, name));
    } catch (DateTimeException e) {
      throw UnreadableNoticeException.field(name);
    }
  }

  private static Priority priority(JsonNode fields) throws UnreadableNoticeException {
    if (!fields.has("priority")) {
      return Priority.NORMAL;
    }
    String word = text(fields, "priority");
    return Arrays.stream(Priority.values())
        .filter(priority -> word(priority).equals(word))
        .findFirst()
        .orElseThrow(() -> UnreadableNoticeException.field("priority"));
  }

  private static String word(Priority priority) {
    return priority.name().toLowerCase(Locale.ROOT);
  }
}
