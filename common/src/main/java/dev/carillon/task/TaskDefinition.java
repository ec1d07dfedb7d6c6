package dev.carillon.task;

import dev.carillon.schedule.Schedule;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a user asked for.
 *
 * @param timeout how long one attempt may take before it is interrupted
 * @param overlap what becomes of sub-tasks that fall due while another run is on
 * @param priority of its sub-tasks among those that are due
 * @param metadata the user's own notes; never interpreted
 */
public record TaskDefinition(
    String name,
    Schedule schedule,
    Action action,
    RetryPolicy retry,
    Duration timeout,
    MisfirePolicy misfire,
    Overlap overlap,
    Priority priority,
    List<String> tags,
    Map<String, String> metadata) {

  /** How long an attempt may take when the task does not say. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  public TaskDefinition {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(schedule, "schedule");
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(retry, "retry");
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(misfire, "misfire");
    Objects.requireNonNull(overlap, "overlap");
    Objects.requireNonNull(priority, "priority");
    tags = List.copyOf(tags);
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
  }

  /** Of normal priority; its sub-tasks wait for each other. */
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
        Overlap.WAIT,
        Priority.NORMAL,
        tags,
        metadata);
  }

  /** The same but for what it does. */
  public TaskDefinition withAction(Action other) {
    return new TaskDefinition(
        name, schedule, other, retry, timeout, misfire, overlap, priority, tags, metadata);
  }
}
