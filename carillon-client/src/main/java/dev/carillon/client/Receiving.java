package dev.carillon.client;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has what arrives handled, over and over if need be. A message is acknowledged when it has been
 * handled or put aside, and stays unacknowledged until then. Thread-safe.
 */
final class Receiving {

  private static final Logger log = LoggerFactory.getLogger(Receiving.class);

  /** What waits for another attempt must not keep others from arriving. */
  private static final int HELD_PER_THREAD = 10;

  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /** What the subscriber's user has chosen. */
  record Settings(String queue, int concurrency, int maxAttempts, Duration firstPause) {}

  private final Channel channel;
  private final Handling handling;
  private final Parking parking;
  private final Settings settings;
  private final ScheduledThreadPoolExecutor threads;
  private String tag;

  Receiving(Channel channel, Handling handling, Parking parking, Settings settings) {
    this.channel = channel;
    this.handling = handling;
    this.parking = parking;
    this.settings = settings;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ScheduledThreadPoolExecutor(
            settings.concurrency(),
            work -> new Thread(work, settings.queue() + "-" + number.incrementAndGet()));
    threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  void start() throws IOException {
    channel.basicQos(settings.concurrency() * HELD_PER_THREAD);
    tag =
        channel.basicConsume(
            settings.queue(),
            false,
            (consumer, delivery) -> attempt(delivery, 1, Duration.ZERO),
            consumer -> log.warn("the broker has ended the subscription to {}", settings.queue()));
  }

  private void attempt(Delivery delivery, int attempt, Duration pause) {
    try {
      Future<?> unused =
          threads.schedule(
              () -> handle(delivery, attempt), pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("closed; a message is delivered again to others", e);
    }
  }

  private void handle(Delivery delivery, int attempt) {
    try {
      handling.handle(delivery, attempt);
      acknowledge(delivery);
    } catch (Handling.UselessException e) {
      park(delivery, attempt, e.getMessage());
    } catch (InterruptedException e) {
      log.debug("interrupted; a message is delivered again to others", e);
      Thread.currentThread().interrupt();
    } catch (Exception | Error e) { // whatever a handler throws is a failed attempt
      if (attempt >= settings.maxAttempts()) {
        park(delivery, attempt, "attempt " + attempt + " failed: " + e);
      } else {
        log.warn(
            "attempt {} of {} to handle message {} failed; it is tried again",
            attempt,
            settings.maxAttempts(),
            delivery.getProperties().getMessageId(),
            e);
        attempt(delivery, attempt + 1, pauseAfter(attempt));
      }
    }
  }

  private Duration pauseAfter(int attempt) {
    double millis = settings.firstPause().toMillis() * Math.pow(2, attempt - 1.0);
    return Duration.ofMillis((long) Math.min(millis, (double) LONGEST_PAUSE.toMillis()));
  }

  private void park(Delivery delivery, int attempt, String reason) {
    try {
      parking.park(delivery, reason);
      log.error(
          "message {} is put aside into {}.parked: {}",
          delivery.getProperties().getMessageId(),
          settings.queue(),
          reason);
      acknowledge(delivery);
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      log.warn("a message cannot be put aside yet; it is tried again", e);
      attempt(delivery, attempt, pauseAfter(1));
    } catch (InterruptedException e) {
      log.debug("interrupted; a message is delivered again to others", e);
      Thread.currentThread().interrupt();
    }
  }

  private void acknowledge(Delivery delivery) {
    try {
      channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
    } catch (IOException | ShutdownSignalException e) {
      log.debug("not acknowledged; the message is delivered again", e);
    }
  }

  void close() {
    try {
      channel.basicCancel(tag);
    } catch (IOException | ShutdownSignalException e) {
      log.debug("the subscription is gone already", e);
    }
    threads.shutdown();
    try {
      if (!threads.awaitTermination(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        threads.shutdownNow();
      }
      channel.abort(); // what was not acknowledged is delivered again
      parking.close();
    } catch (IOException e) {
      log.debug("the channel is gone already", e);
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
