package dev.carillon.queue;

import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A message that was put aside.
 *
 * @param id names it as long as it is there
 * @param reason why it was put aside, for people
 * @param exchange where it came through; empty for word of a sub-task, as is the routing key
 * @param parkedAt when it was put aside, if that is known
 * @param task which task it is about, if that can be told
 * @param index which sub-task, if that can be told
 * @param bytes length of its body
 * @param preview the beginning of its body, read as UTF-8
 */
public record ParkedMessage(
    String id,
    String reason,
    String exchange,
    String routingKey,
    Optional<Instant> parkedAt,
    Optional<TaskId> task,
    OptionalLong index,
    long bytes,
    String preview) {

  /** How many characters of a body are shown. */
  public static final int MAX_PREVIEW_LENGTH = 500;

  public ParkedMessage {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(exchange, "exchange");
    Objects.requireNonNull(routingKey, "routingKey");
    Objects.requireNonNull(parkedAt, "parkedAt");
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(index, "index");
    if (preview.length() > MAX_PREVIEW_LENGTH) {
      preview = preview.substring(0, MAX_PREVIEW_LENGTH - 1) + "…";
    }
  }
}
