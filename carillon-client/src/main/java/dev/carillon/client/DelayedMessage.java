package dev.carillon.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A message to be delivered later, or again and again. Made by {@link #of}; immutable. Without a
 * time it is delivered at once.
 *
 * <p>It has a message id, by which Carillon knows it again: publishing the same value twice,
 * because nobody can tell whether the first time has succeeded, makes one delivery. To deliver the
 * same content twice, make two messages.
 */
public final class DelayedMessage {

  /** What Carillon takes for a key; anything else would be put aside there. */
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:@=+,~|-]{0,199}");

  private final Object payload;
  private final String type;
  private final String exchange;
  private final String routingKey;
  private final String messageId;
  private final Optional<String> correlationId;
  private final Optional<String> key;
  private final Map<String, Object> headers;
  private final Map<String, Object> schedule;

  private DelayedMessage(Builder builder) {
    this.payload = builder.payload;
    this.type = builder.type;
    this.exchange = builder.exchange;
    this.routingKey = builder.routingKey;
    this.messageId = builder.messageId;
    this.correlationId = builder.correlationId;
    this.key = builder.key;
    this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
    this.schedule = Collections.unmodifiableMap(new LinkedHashMap<>(builder.schedule));
  }

  /**
   * Begins a message.
   *
   * @param payload what Jackson makes JSON of
   */
  public static Builder of(Object payload) {
    return new Builder(payload);
  }

  /** What is sent along. */
  public Object payload() {
    return payload;
  }

  /** By which subscribers tell it from other messages. */
  public String type() {
    return type;
  }

  /** Where it goes in the end; empty for the default exchange, which routes by queue name. */
  public String exchange() {
    return exchange;
  }

  /** How it is routed there. */
  public String routingKey() {
    return routingKey;
  }

  /** Unlike that of any other message. */
  public String messageId() {
    return messageId;
  }

  /** What it belongs to, for its receiver. */
  public Optional<String> correlationId() {
    return correlationId;
  }

  /** By which it can be replaced and canceled. */
  public Optional<String> key() {
    return key;
  }

  /** Its headers, besides those that Carillon adds. */
  public Map<String, Object> headers() {
    return headers;
  }

  /** When it is delivered, as fields of a task; empty for at once. */
  Map<String, Object> schedule() {
    return schedule;
  }

  /** Whether it is delivered more than once. */
  boolean isRecurring() {
    return !schedule.isEmpty() && !schedule.containsKey("at") && !schedule.containsKey("delay");
  }

  /** Puts a message together. Not thread-safe. */
  public static final class Builder {

    private final Object payload;
    private String type;
    private String exchange = "";
    private String routingKey = "";
    private String messageId = UUID.randomUUID().toString();
    private Optional<String> correlationId = Optional.empty();
    private Optional<String> key = Optional.empty();
    private final Map<String, Object> headers = new LinkedHashMap<>();
    private final Map<String, Object> schedule = new LinkedHashMap<>();

    private Builder(Object payload) {
      this.payload = Objects.requireNonNull(payload, "payload");
      this.type = typeOf(payload.getClass());
    }

    /** Where it goes in the end. */
    public Builder to(String toExchange, String withRoutingKey) {
      this.exchange = Objects.requireNonNull(toExchange, "exchange");
      this.routingKey = Objects.requireNonNull(withRoutingKey, "routingKey");
      return this;
    }

    /** Straight to a queue, through the default exchange. */
    public Builder toQueue(String queue) {
      return to("", queue);
    }

    /** By which subscribers tell it from others; the simple name of the class if it is not set. */
    public Builder type(String name) {
      this.type = Objects.requireNonNull(name, "type");
      return this;
    }

    /** Delivered so long after it has been taken in, in whole milliseconds; not negative. */
    public Builder after(Duration delay) {
      if (delay.isNegative()) {
        throw new IllegalArgumentException("a delay is not negative: " + delay);
      }
      return once("delay", Duration.ofMillis(delay.toMillis()).toString());
    }

    /** Delivered at an instant; at once if it has passed. */
    public Builder at(Instant instant) {
      return once("at", instant.toString());
    }

    private Builder once(String field, String value) {
      schedule.clear();
      schedule.put(field, value);
      return this;
    }

    /** Delivered again and again, the first time one interval from now. */
    public Builder every(Duration interval) {
      return recurring("interval", interval.toString());
    }

    /** Delivered when a cron expression fires, in UTC. */
    public Builder cron(String expression) {
      return recurring("cron", expression);
    }

    /**
     * Delivered as any schedule says that a task can have.
     *
     * @param fields the fields of the schedule, such as {@code rrule}, {@code timezone} and {@code
     *     maxRuns}, with values as they are in JSON
     */
    public Builder schedule(Map<String, Object> fields) {
      schedule.clear();
      schedule.putAll(fields);
      return this;
    }

    private Builder recurring(String field, String value) {
      schedule.keySet().retainAll(java.util.Set.of("maxRuns", "endTime"));
      schedule.put(field, value);
      return this;
    }

    /** Ends a recurring message after so many deliveries. */
    public Builder times(int count) {
      schedule.put("maxRuns", count);
      return this;
    }

    /**
     * By which it can be replaced and canceled: 1 to 200 letters, digits and {@code ._:@=+,~|-},
     * beginning with a letter or digit. What waits under the key is replaced.
     *
     * @throws IllegalArgumentException when it is anything else
     */
    public Builder key(String name) {
      if (!KEY.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "a key must be 1 to 200 letters, digits and ._:@=+,~|-, beginning with a letter or"
                + " digit, and is: "
                + name);
      }
      this.key = Optional.of(name);
      return this;
    }

    /** What it belongs to, for its receiver. */
    public Builder correlationId(String id) {
      this.correlationId = Optional.of(id);
      return this;
    }

    /**
     * In place of a random one: the same for the same message. What has an id that was published
     * within the last 24 hours is not delivered once more, with whatever key.
     */
    public Builder messageId(String id) {
      this.messageId = Objects.requireNonNull(id, "messageId");
      return this;
    }

    /**
     * Adds a header.
     *
     * @param value a string, boolean, integer, long or double
     */
    public Builder header(String name, Object value) {
      headers.put(name, value);
      return this;
    }

    public DelayedMessage build() {
      return new DelayedMessage(this);
    }
  }

  /** What messages with such a payload are called. */
  static String typeOf(Class<?> payload) {
    return payload.getSimpleName();
  }
}
