package dev.carillon.rabbit;

import dev.carillon.queue.Outlet;
import dev.carillon.task.Action;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Publishes persistent messages that must reach a queue. It has a connection of its own, so that a
 * receiver that is slow or out of room does not hold up the scheduler. Thread-safe.
 */
public final class RabbitMessagePublisher {

  private final ChannelPool channels;

  RabbitMessagePublisher(ChannelPool channels) {
    this.channels = channels;
  }

  /**
   * Publishes and waits until the broker has confirmed. Not interruptible.
   *
   * @param patience how long to wait for the broker
   */
  public PublishAnswer publish(AmqpMessage message, Duration patience) {
    return publish(List.of(message), patience).get(0);
  }

  /** Publishes what came in and is not to wait. */
  public Outlet asOutlet(Duration patience) {
    return actions ->
        publish(actions.stream().map(RabbitMessagePublisher::message).toList(), patience).stream()
            .map(PublishAnswer.Published.class::isInstance)
            .toList();
  }

  private static AmqpMessage message(Action.Amqp action) {
    return new AmqpMessage(
        action.exchange(),
        action.routingKey(),
        action.properties(),
        action.headers(),
        action.body());
  }

  /**
   * Publishes in the order given, without waiting in between.
   *
   * @return what became of each
   */
  public List<PublishAnswer> publish(Collection<AmqpMessage> messages, Duration patience) {
    List<Supplier<Posting>> postings =
        messages.stream()
            .<Supplier<Posting>>map(message -> () -> MessageForm.posting(message))
            .toList();
    return channels.publish(postings, Deadline.after(patience));
  }
}
