package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;

/**
 * Publishes persistent messages that must reach a queue. It has a connection of its own, so that a
 * receiver that is slow or out of room does not hold up the scheduler. Thread-safe.
 */
public final class RabbitMessagePublisher {

  private final ChannelPool channels;
  private final InstantSource clock;

  RabbitMessagePublisher(ChannelPool channels, InstantSource clock) {
    this.channels = channels;
    this.clock = clock;
  }

  /**
   * Publishes and waits until the broker has confirmed. Not interruptible.
   *
   * @param patience how long to wait for the broker
   */
  public PublishAnswer publish(AmqpMessage message, Duration patience) {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId(message.messageId())
            .contentType(message.contentType())
            .headers(message.headers())
            .timestamp(Date.from(clock.instant()))
            .build();
    byte[] body = message.text().getBytes(StandardCharsets.UTF_8);
    Posting posting = Posting.to(message.exchange(), message.routingKey(), properties, body);
    return channels.publish(List.of(() -> posting), Deadline.after(patience)).get(0);
  }
}
