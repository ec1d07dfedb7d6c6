package dev.carillon.rabbit;

import com.rabbitmq.client.Delivery;
import dev.carillon.ops.SchedulerMetrics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts messages that are not notices aside, into a queue where people can look at them, with the
 * reason and where they came from in their headers. Thread-safe.
 */
final class StrayMessages implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(StrayMessages.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final ChannelPool channels;
  private final Topology topology;
  private final Runnable topologyIsDamaged;
  private final InstantSource clock;
  private final SchedulerMetrics metrics;
  private final ScheduledExecutorService executor = Threads.scheduler("carillon-rabbit-parked");

  StrayMessages(
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

  /**
   * Puts the message aside, in the background, and acknowledges it when it is safe there. Until
   * then it counts as in hand, which bounds how many there can be.
   */
  void park(Delivery message, String reason, Receipt receipt) {
    Posting posting =
        ParkedForm.ofStray(
            UUID.randomUUID().toString(),
            clock.instant(),
            reason,
            message.getEnvelope(),
            message.getProperties(),
            message.getBody(),
            topology.parkedQueue());
    try {
      executor.execute(() -> attempt(posting, reason, receipt));
    } catch (RejectedExecutionException e) {
      log.debug("closed; an unreadable message is left in the work queue", e);
    }
  }

  private void attempt(Posting posting, String reason, Receipt receipt) {
    if (!receipt.isValid()) {
      return; // it is delivered again
    }
    PublishAnswer answer;
    try {
      answer = channels.publish(List.of(() -> posting), Deadline.after(PATIENCE)).get(0);
    } catch (RuntimeException e) {
      log.error("an unreadable message cannot be put aside; it stays in the work queue", e);
      return;
    }
    if (answer instanceof PublishAnswer.Published) {
      receipt.ack();
      metrics.messageParked();
      log.warn(
          "a message in the work queue is not a notice ({}); it is in {} now",
          reason,
          topology.parkedQueue());
      return;
    }
    if (answer instanceof PublishAnswer.Unroutable) {
      topologyIsDamaged.run();
    }
    log.debug("an unreadable message cannot be put aside yet: {}", answer.reason());
    try {
      Future<?> unused =
          executor.schedule(
              () -> attempt(posting, reason, receipt), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("closed; an unreadable message is left in the work queue", e);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
