package dev.carillon.rabbit;

import com.rabbitmq.client.Delivery;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.GivenUp;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;

/**
 * Puts messages that nobody can deal with into a queue where people can look at them, with the
 * reason and where they came from in their headers. Thread-safe.
 */
final class Aside {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final ChannelPool channels;
  private final Topology topology;
  private final Runnable topologyIsDamaged;
  private final InstantSource clock;
  private final SchedulerMetrics metrics;

  Aside(
      ChannelPool channels,
      Topology topology,
      Runnable topologyIsDamaged,
      InstantSource clock,
      SchedulerMetrics metrics) {
    this.channels = channels;
    this.topology = topology;
    this.topologyIsDamaged = topologyIsDamaged;
    this.clock = clock;
    this.metrics = metrics;
  }

  /** Word of a sub-task that was given up, as it is to be there. */
  Posting form(GivenUp givenUp) {
    return ParkedForm.of(
        UUID.randomUUID().toString(), clock.instant(), givenUp, topology.parkedQueue());
  }

  /** The message as it is to be there. */
  Posting form(Delivery message, String reason) {
    return ParkedForm.ofStray(
        UUID.randomUUID().toString(),
        clock.instant(),
        reason,
        message.getEnvelope(),
        message.getProperties(),
        message.getBody(),
        topology.parkedQueue());
  }

  /** Puts it there, and waits for the broker for a moment. */
  PublishAnswer put(Posting posting) {
    PublishAnswer answer = publish(posting);
    if (answer instanceof PublishAnswer.Published) {
      metrics.messageParked();
    }
    return answer;
  }

  /** Publishes wherever a message is to go, from there or to there. */
  PublishAnswer publish(Posting posting) {
    PublishAnswer answer =
        channels.publish(List.of(() -> posting), Deadline.after(PATIENCE)).get(0);
    if (answer instanceof PublishAnswer.Unroutable) {
      topologyIsDamaged.run();
    }
    return answer;
  }
}
