package dev.carillon.task;

import dev.carillon.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
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
 * @param overlap what becomes of sub-tasks that fall due while another run is on
 * @param priority of its sub-tasks among those that are due
 * @param concurrency what it shares a number of runs at a time with; empty when nothing
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
    Overlap overlap,
    Priority priority,
    Optional<Concurrency> concurrency,
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
    Objects.requireNonNull(overlap, "overlap");
    Objects.requireNonNull(priority, "priority");
    Objects.requireNonNull(concurrency, "concurrency");
    Objects.requireNonNull(key, "key");
    tags = List.copyOf(tags);
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
  }

  /** One that leaves to the defaults all that is not told to the builder. */
  public static Builder builder(String name, Schedule schedule, Action action) {
    return new Builder(name, schedule, action);
  }

  /** A builder that begins with all of this. */
  public Builder toBuilder() {
    return new Builder(name, schedule, action)
        .retry(retry)
        .timeout(timeout)
        .misfire(misfire)
        .overlap(overlap)
        .priority(priority)
        .concurrency(concurrency)
        .tags(tags)
        .metadata(metadata)
        .key(key);
  }

  /** Whether nothing of it is due after the given instant. */
  public boolean isOver(Instant now) {
    return schedule.next(now).isEmpty();
  }

  /** The same but for what it does. */
  public TaskDefinition withAction(Action other) {
    return toBuilder().action(other).build();
  }

  /** Puts a definition together. Not thread-safe. */
  public static final class Builder {

    private String name;
    private Schedule schedule;
    private Action action;
    private RetryPolicy retry = RetryPolicy.DEFAULT;
    private Duration timeout = DEFAULT_TIMEOUT;
    private MisfirePolicy misfire = MisfirePolicy.DEFAULT;
    private Overlap overlap = Overlap.WAIT;
    private Priority priority = Priority.NORMAL;
    private Optional<Concurrency> concurrency = Optional.empty();
    private List<String> tags = List.of();
    private Map<String, String> metadata = Map.of();
    private Optional<String> key = Optional.empty();

    private Builder(String name, Schedule schedule, Action action) {
      this.name = name;
      this.schedule = schedule;
      this.action = action;
    }

    public TaskDefinition build() {
      return new TaskDefinition(
          name,
          schedule,
          action,
          retry,
          timeout,
          misfire,
          overlap,
          priority,
          concurrency,
          tags,
          metadata,
          key);
    }

    public Builder name(String chosen) {
      this.name = chosen;
      return this;
    }

    public Builder schedule(Schedule chosen) {
      this.schedule = chosen;
      return this;
    }

    public Builder action(Action chosen) {
      this.action = chosen;
      return this;
    }

    public Builder retry(RetryPolicy chosen) {
      this.retry = chosen;
      return this;
    }

    public Builder timeout(Duration chosen) {
      this.timeout = chosen;
      return this;
    }

    public Builder misfire(MisfirePolicy chosen) {
      this.misfire = chosen;
      return this;
    }

    public Builder overlap(Overlap chosen) {
      this.overlap = chosen;
      return this;
    }

    public Builder priority(Priority chosen) {
      this.priority = chosen;
      return this;
    }

    public Builder concurrency(Optional<Concurrency> chosen) {
      this.concurrency = chosen;
      return this;
    }

    public Builder tags(List<String> chosen) {
      this.tags = chosen;
      return this;
    }

    public Builder metadata(Map<String, String> chosen) {
      this.metadata = chosen;
      return this;
    }

    public Builder key(Optional<String> chosen) {
      this.key = chosen;
      return this;
    }
  }
}
