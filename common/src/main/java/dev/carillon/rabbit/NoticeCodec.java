package dev.carillon.rabbit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.carillon.queue.Notice;
import dev.carillon.task.TaskId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * Notices as JSON that people can read. Fields that are not known are ignored, so that a later
 * version may add some; one that cannot be understood without them gets another number.
 * Thread-safe.
 */
final class NoticeCodec {

  static final String CONTENT_TYPE = "application/json";

  private static final int VERSION = 1;
  private static final int MAX_BYTES = 16 * 1024;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private record Fields(
      int version,
      String task,
      long index,
      int attempt,
      long token,
      String runAt,
      String queue,
      String parkedAt) {}

  /** A message is not a notice. Says why, for people, and shows nothing of the message. */
  static final class UnreadableNoticeException extends Exception {
    UnreadableNoticeException(String reason) {
      super(reason);
    }

    static UnreadableNoticeException field(String name) {
      return new UnreadableNoticeException("the field " + name + " is missing or wrong");
    }
  }

  byte[] encode(Notice notice) {
    Fields fields =
        new Fields(
            VERSION,
            notice.task().value(),
            notice.index(),
            notice.attempt(),
            notice.token(),
            notice.runAt().toString(),
            notice.queue(),
            notice.parkedAt().toString());
    try {
      return JSON.writeValueAsBytes(fields);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  Notice decode(byte[] body) throws UnreadableNoticeException {
    if (body.length > MAX_BYTES) {
      throw new UnreadableNoticeException(body.length + " bytes are too many for a notice");
    }
    Fields fields = parse(body);
    if (fields.version() != VERSION) {
      throw new UnreadableNoticeException("unknown version " + fields.version());
    }
    if (fields.queue().getBytes(StandardCharsets.UTF_8).length > AmqpMessage.MAX_NAME_BYTES) {
      throw new UnreadableNoticeException("the name of its queue is too long");
    }
    return new Notice(
        TaskId.parse(fields.task()).orElseThrow(() -> UnreadableNoticeException.field("task")),
        fields.index(),
        fields.attempt(),
        fields.token(),
        instant("runAt", fields.runAt()),
        fields.queue(),
        instant("parkedAt", fields.parkedAt()));
  }

  private static Instant instant(String field, String text) throws UnreadableNoticeException {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw UnreadableNoticeException.field(field);
    }
  }

  private static Fields parse(byte[] body) throws UnreadableNoticeException {
    try {
      Fields fields = JSON.readValue(body, Fields.class);
      if (fields == null) {
        throw new UnreadableNoticeException("not an object with the fields of a notice");
      }
      return fields;
    } catch (JsonMappingException e) {
      throw e.getPath().isEmpty()
          ? new UnreadableNoticeException("not an object with the fields of a notice")
          : UnreadableNoticeException.field(e.getPath().get(0).getFieldName());
    } catch (IOException e) {
      throw new UnreadableNoticeException("not JSON");
    }
  }
}
