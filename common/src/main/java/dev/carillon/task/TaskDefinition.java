package dev.carillon.task;

import dev.carillon.schedule.Schedule;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a user asked for.
 *
 * @param timeout how long one attempt may take before it is interrupted
 * @param priority of its sub-tasks among those that are due
 * @param metadata the user's own notes; never interpreted
 * @param key the publisher's own name for it, which no other active task has
 */
public record TaskDefinition(
    String name,
    Schedule schedule,
    Action action,
    RetryPolicy retry,
    Duration timeout,
    MisfirePolicy misfire,
    Priority priority,
    List<String> tags,
    Map<String, String> metadata,
    Optional<String> key) {

  /** How long an attempt may take when the task does not say. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  public TaskDefinition {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(schedule, "schedule");
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(retry, "retry");
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(misfire, "misfire");
    Objects.requireNonNull(priority, "priority");
    Objects.requireNonNull(key, "key");
    tags = List.copyOf(tags);
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
  }

  /** Of normal priority, without a key. */
  public TaskDefinition(
      String name,
      Schedule schedule,
      Action action,
      RetryPolicy retry,
      Duration timeout,
      MisfirePolicy misfire,
      List<String> tags,
      Map<String, String> metadata) {
    this(
        name,
        schedule,
        action,
        retry,
        timeout,
        misfire,
        Priority.NORMAL,
        tags,
        metadata,
        Optional.empty());
  }

  /** The same under a key. */
  public TaskDefinition withKey(String chosen) {
    return new TaskDefinition(
        name,
        schedule,
        action,
        retry,
        timeout,
        misfire,
        priority,
        tags,
        metadata,
        Optional.of(chosen));
  }

  /** The same but for what it does. */
  public TaskDefinition withAction(Action other) {
    return new TaskDefinition(
        name, schedule, other, retry, timeout, misfire, priority, tags, metadata, key);
  }
}
