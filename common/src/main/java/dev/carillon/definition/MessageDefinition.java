package dev.carillon.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
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
import java.util.stream.Collectors;

/** What messages that came in to be delivered later are as tasks. Pure. */
public final class MessageDefinition {

  /** By which such tasks can be listed. */
  public static final String TAG = "delayed-message";

  /** Nobody waits for an answer who could try again: ten attempts in an hour and a half. */
  static final RetryPolicy RETRY =
      new RetryPolicy(10, Duration.ofSeconds(10), 2, Duration.ofHours(1));

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private MessageDefinition() {}

  /**
   * A task that publishes a message once.
   *
   * @param dueAt counted in whole milliseconds, rounded up
   */
  public static TaskDefinition once(Action.Amqp message, Instant dueAt, Optional<String> key) {
    Instant millis = dueAt.truncatedTo(ChronoUnit.MILLIS);
    Instant due = millis.equals(dueAt) ? millis : millis.plusMillis(1);
    Form form = Form.of(Map.of("at", due.toString()));
    return of(message, ScheduleReader.readStored(form).orElseThrow(() -> unusable(form)), key);
  }

  /**
   * A task that publishes a message again and again.
   *
   * @param schedule a JSON object with the fields of a schedule
   * @param now what is relative in it counts from
   * @throws IllegalArgumentException when there is no such schedule; says why
   */
  public static TaskDefinition recurring(
      Action.Amqp message, String schedule, Instant now, Optional<String> key) {
    Form form = Form.of(fields(schedule));
    Optional<Schedule> read = ScheduleReader.readNew(form, now);
    form.rejectUnknown();
    return of(
        message,
        read.filter(any -> form.problems().isEmpty()).orElseThrow(() -> unusable(form)),
        key);
  }

  private static Map<?, ?> fields(String json) {
    try {
      if (JSON.readValue(json, Object.class) instanceof Map<?, ?> fields) {
        return fields;
      }
    } catch (JsonProcessingException notJson) {
      throw new IllegalArgumentException("is no JSON: " + notJson.getOriginalMessage(), notJson);
    }
    throw new IllegalArgumentException("is no JSON object");
  }

  private static IllegalArgumentException unusable(Form form) {
    return new IllegalArgumentException(
        form.problems().stream()
            .map(problem -> problem.field() + " " + problem.message())
            .collect(Collectors.joining("; ")));
  }

  private static TaskDefinition of(Action.Amqp message, Schedule schedule, Optional<String> key) {
    return TaskDefinition.builder(name(message), schedule, message)
        .retry(RETRY)
        .tags(List.of(TAG))
        .key(key)
        .build();
  }

  private static String name(Action.Amqp message) {
    String target = message.exchange().isEmpty() ? "" : message.exchange() + ": ";
    String name = "message to " + target + message.routingKey();
    return name.length() > DefinitionReader.MAX_NAME_LENGTH
        ? name.substring(0, DefinitionReader.MAX_NAME_LENGTH - 1) + "…"
        : name;
  }
}
