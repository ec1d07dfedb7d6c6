package dev.carillon.rabbit;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * How to reach and use a broker.
 *
 * @param uri {@code amqp://user:password@host:port/vhost}, or {@code amqps} for TLS, with the
 *     certificate checked against the JVM's trust store and the host's name. The query parameters
 *     {@code heartbeat} and {@code connection_timeout} are understood.
 * @param connectionName what the broker's lists show connections as, followed by their purpose
 * @param prefix what the names of all queues and exchanges begin with. Systems that share a virtual
 *     host have different ones.
 * @param workQueueType type of the work queue; it cannot be changed while the queue exists
 * @param lead how long before its time a notice is to arrive
 * @param horizon firings further away than this are not parked in queues of their own yet
 * @param shape what notices wait in
 * @param confirmDeadline how long one notice may take to be parked; a batch gets a little more for
 *     each of its notices
 */
public record RabbitSettings(
    URI uri,
    String connectionName,
    String prefix,
    QueueType workQueueType,
    Duration lead,
    Duration horizon,
    PendingShape shape,
    Duration confirmDeadline) {

  public static final String DEFAULT_PREFIX = "carillon";
  public static final Duration DEFAULT_LEAD = Duration.ofMillis(50);
  public static final Duration DEFAULT_HORIZON = Duration.ofHours(24);
  public static final Duration DEFAULT_CONFIRM_DEADLINE = Duration.ofSeconds(5);

  /** How a broker keeps a queue. */
  public enum QueueType {
    /** Replicated, survives the loss of a minority of the broker's nodes. */
    QUORUM,
    /** On one node. */
    CLASSIC;

    String argument() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Leaves room for the ids in the names of pending queues. */
  private static final Pattern PREFIX = Pattern.compile("(?!amq(\\.|$))[A-Za-z0-9._-]{1,100}");

  public RabbitSettings {
    Objects.requireNonNull(workQueueType, "workQueueType");
    Objects.requireNonNull(shape, "shape");
    String scheme = Objects.requireNonNullElse(uri.getScheme(), "");
    if (!scheme.equalsIgnoreCase("amqp") && !scheme.equalsIgnoreCase("amqps")) {
      throw new IllegalArgumentException("the broker's URI must begin with amqp:// or amqps://");
    }
    if (connectionName.isBlank()) {
      throw new IllegalArgumentException("connectionName must not be empty");
    }
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "prefix must be 1 to 100 letters, digits, dots, underscores, hyphens, and not \"amq\": "
              + prefix);
    }
    if (lead.isNegative()) {
      throw new IllegalArgumentException("lead must not be negative: " + lead);
    }
    if (!isPositive(horizon) || !isPositive(confirmDeadline)) {
      throw new IllegalArgumentException("horizon and confirmDeadline must be positive");
    }
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }

  /** Everything as it is by default. */
  public static RabbitSettings of(URI uri, String connectionName) {
    return new RabbitSettings(
        uri,
        connectionName,
        DEFAULT_PREFIX,
        QueueType.QUORUM,
        DEFAULT_LEAD,
        DEFAULT_HORIZON,
        PendingShape.DEFAULT,
        DEFAULT_CONFIRM_DEADLINE);
  }

  public RabbitSettings withPrefix(String other) {
    return new RabbitSettings(
        uri, connectionName, other, workQueueType, lead, horizon, shape, confirmDeadline);
  }

  public RabbitSettings withWorkQueueType(QueueType other) {
    return new RabbitSettings(
        uri, connectionName, prefix, other, lead, horizon, shape, confirmDeadline);
  }

  public RabbitSettings withLead(Duration other) {
    return new RabbitSettings(
        uri, connectionName, prefix, workQueueType, other, horizon, shape, confirmDeadline);
  }

  public RabbitSettings withHorizon(Duration other) {
    return new RabbitSettings(
        uri, connectionName, prefix, workQueueType, lead, other, shape, confirmDeadline);
  }

  public RabbitSettings withShape(PendingShape other) {
    return new RabbitSettings(
        uri, connectionName, prefix, workQueueType, lead, horizon, other, confirmDeadline);
  }

  public RabbitSettings withConfirmDeadline(Duration other) {
    return new RabbitSettings(
        uri, connectionName, prefix, workQueueType, lead, horizon, shape, other);
  }

  /** The URI for people: without user and password. */
  public String maskedUri() {
    String authority = Objects.requireNonNullElse(uri.getRawAuthority(), "");
    String host = authority.substring(authority.lastIndexOf('@') + 1);
    return uri.getScheme() + "://" + host + Objects.requireNonNullElse(uri.getRawPath(), "");
  }

  @Override
  public String toString() {
    return "RabbitSettings[uri=%s, connectionName=%s, prefix=%s, workQueueType=%s, lead=%s, horizon=%s, shape=%s, confirmDeadline=%s]"
        .formatted(
            maskedUri(),
            connectionName,
            prefix,
            workQueueType,
            lead,
            horizon,
            shape,
            confirmDeadline);
  }
}
