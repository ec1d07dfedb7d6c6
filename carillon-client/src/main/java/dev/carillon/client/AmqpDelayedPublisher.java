package dev.carillon.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Publishes over AMQP, to the exchanges {@code carillon.delay.…} that workers with the setting
 * {@code INGRESS_EXCHANGES} declare. Messages are persistent, mandatory and confirmed; those that
 * are published together wait for the broker once. Thread-safe: one thread at a time uses the
 * channel.
 */
public final class AmqpDelayedPublisher implements DelayedPublisher {

  private static final ObjectMapper PLAIN = new ObjectMapper();
  private static final int PERSISTENT = 2;
  private static final String DEFAULT_EXCHANGE = "amq.default";

  /** How to reach Carillon. */
  public record Settings(String prefix, Duration patience) {

    /** Carillon's own prefix, and 10 s. */
    public static final Settings DEFAULT = new Settings("carillon", Duration.ofSeconds(10));

    /**
     * Checks them.
     *
     * @param prefix what the names of Carillon's exchanges begin with ({@code AMQP_PREFIX})
     * @param patience how long to wait for the broker
     */
    public Settings {
      if (prefix.isEmpty() || patience.isNegative() || patience.isZero()) {
        throw new IllegalArgumentException("there must be a prefix, and some patience");
      }
    }
  }

  private final Connection connection;
  private final JsonPayload json;
  private final Settings settings;
  private final AtomicReference<String> returned = new AtomicReference<>();
  private Channel channel;

  /** With the default settings. */
  public AmqpDelayedPublisher(Connection connection, ObjectMapper mapper) {
    this(connection, mapper, Settings.DEFAULT);
  }

  /**
   * A channel is opened with the first message, and again when the broker has closed it.
   *
   * @param connection stays open when this is closed
   */
  public AmqpDelayedPublisher(Connection connection, ObjectMapper mapper, Settings settings) {
    this.connection = connection;
    this.json = new JsonPayload(mapper);
    this.settings = settings;
  }

  @Override
  public void publish(Collection<DelayedMessage> messages) {
    Map<DelayedMessage, byte[]> bodies = new HashMap<>();
    messages.forEach(message -> bodies.put(message, json.bytes(message)));
    send(
        open -> {
          for (DelayedMessage message : messages) {
            open.basicPublish(
                ingress(message.exchange()),
                message.routingKey(),
                true,
                properties(message),
                bodies.get(message));
          }
        });
  }

  private static AMQP.BasicProperties properties(DelayedMessage message) {
    Map<String, Object> headers = new HashMap<>(message.headers());
    message.key().ifPresent(key -> headers.put("x-carillon-key", key));
    Map<String, Object> schedule = message.schedule();
    if (message.isRecurring()) {
      headers.put("x-carillon-schedule", scheduleText(schedule));
    } else if (schedule.containsKey("at")) {
      headers.put("x-deliver-at", schedule.get("at"));
    } else if (schedule.containsKey("delay")) {
      headers.put("x-delay", Duration.parse(schedule.get("delay").toString()).toMillis());
    }
    return new AMQP.BasicProperties.Builder()
        .messageId(message.messageId())
        .correlationId(message.correlationId().orElse(null))
        .type(message.type())
        .contentType(JsonPayload.CONTENT_TYPE)
        .deliveryMode(PERSISTENT)
        .headers(headers)
        .build();
  }

  private static String scheduleText(Map<String, Object> schedule) {
    try {
      return PLAIN.writeValueAsString(schedule);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a schedule has plain values: " + schedule, e);
    }
  }

  @Override
  public void cancel(String exchange, String key) {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId(UUID.randomUUID().toString())
            .deliveryMode(PERSISTENT)
            .headers(Map.of("x-carillon-cancel", true, "x-carillon-key", key))
            .build();
    send(open -> open.basicPublish(ingress(exchange), "", true, properties, new byte[0]));
  }

  private String ingress(String exchange) {
    return settings.prefix() + ".delay." + (exchange.isEmpty() ? DEFAULT_EXCHANGE : exchange);
  }

  /** What is done with an open channel. */
  private interface Sending {
    void on(Channel open) throws IOException;
  }

  private synchronized void send(Sending sending) {
    try {
      returned.set(null);
      Channel open = open();
      sending.on(open);
      if (!open.waitForConfirms(settings.patience().toMillis())) {
        throw new NotPublishedException("the broker has refused a message");
      }
    } catch (IOException | ShutdownSignalException e) {
      throw new NotPublishedException(
          "not published; do workers take messages in for this exchange (INGRESS_EXCHANGES)?", e);
    } catch (TimeoutException e) {
      abandon(); // what is confirmed later must not be taken for what comes next
      throw new NotPublishedException("the broker did not confirm in time", e);
    } catch (InterruptedException e) {
      abandon();
      Thread.currentThread().interrupt();
      throw new NotPublishedException("interrupted before the broker had confirmed", e);
    }
    if (returned.get() != null) {
      throw new NotPublishedException("the broker returned a message: " + returned.get());
    }
  }

  private Channel open() throws IOException {
    if (channel == null || !channel.isOpen()) {
      channel = connection.openChannel().orElseThrow(() -> new IOException("no channel is left"));
      channel.addReturnListener(back -> returned.set(back.getReplyText()));
      channel.confirmSelect();
    }
    return channel;
  }

  private void abandon() {
    try {
      if (channel != null) {
        channel.abort();
      }
    } catch (IOException e) {
      // aborting does not throw; the channel is not used again either way
    } finally {
      channel = null;
    }
  }

  @Override
  public synchronized void close() {
    abandon();
  }
}
