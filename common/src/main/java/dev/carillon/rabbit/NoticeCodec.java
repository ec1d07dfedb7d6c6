package dev.carillon.rabbit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
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

  /** A message is not a notice; says why, for people. */
  static final class UnreadableNoticeException extends Exception {
    UnreadableNoticeException(String reason) {
      super(reason);
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
    try {
      return new Notice(
          new TaskId(fields.task()),
          fields.index(),
          fields.attempt(),
          fields.token(),
          Instant.parse(fields.runAt()),
          fields.queue(),
          Instant.parse(fields.parkedAt()));
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new UnreadableNoticeException(e.getMessage());
    }
  }

  private static Fields parse(byte[] body) throws UnreadableNoticeException {
    try {
      Fields fields = JSON.readValue(body, Fields.class);
      if (fields == null) {
        throw new UnreadableNoticeException("null");
      }
      return fields;
    } catch (JsonProcessingException e) {
      throw new UnreadableNoticeException(e.getOriginalMessage());
    } catch (IOException e) {
      throw new UnreadableNoticeException(e.toString());
    }
  }
}
