package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.schedule.Schedule;
import dev.carillon.schedule.ScheduleReader;
import dev.carillon.task.Action;
import dev.carillon.task.RetryPolicy;
import dev.carillon.task.TaskDefinition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a message that came in to be delivered later is as a task. Pure. */
public final class MessageDefinition {

  /** By which such tasks can be listed. */
  public static final String TAG = "delayed-message";

  /** Nobody waits for an answer who could try again: ten attempts in an hour and a half. */
  static final RetryPolicy RETRY =
      new RetryPolicy(10, Duration.ofSeconds(10), 2, Duration.ofHours(1));

  private MessageDefinition() {}

  /**
   * A task that publishes a message once.
   *
   * @param dueAt counted in whole milliseconds, rounded up
   */
  public static TaskDefinition of(Action.Amqp message, Instant dueAt, Optional<String> key) {
    return TaskDefinition.builder(name(message), at(dueAt), message)
        .retry(RETRY)
        .tags(List.of(TAG))
        .key(key)
        .build();
  }

  private static Schedule at(Instant dueAt) {
    Instant millis = dueAt.truncatedTo(ChronoUnit.MILLIS);
    Instant due = millis.equals(dueAt) ? millis : millis.plusMillis(1);
    Form form = Form.of(Map.of("at", due.toString()));
    return ScheduleReader.readStored(form)
        .orElseThrow(() -> new IllegalArgumentException(form.problems().toString()));
  }

  private static String name(Action.Amqp message) {
    String target = message.exchange().isEmpty() ? "" : message.exchange() + ": ";
    String name = "message to " + target + message.routingKey();
    return name.length() > DefinitionReader.MAX_NAME_LENGTH
        ? name.substring(0, DefinitionReader.MAX_NAME_LENGTH - 1) + "…"
        : name;
  }
}
