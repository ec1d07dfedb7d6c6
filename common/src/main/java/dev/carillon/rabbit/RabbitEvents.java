package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.carillon.event.TaskEvent;
import dev.carillon.event.TaskListener;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.Date;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes events to a topic exchange, by their types, from a bounded buffer and a thread and a
 * connection of its own. Nothing waits for it: when the broker is away or slow, the buffer fills,
 * and what it has no room for is dropped and counted. Events are not confirmed and not persistent.
 * Those that nobody listens to are left out, but for one a second. Thread-safe.
 */
public final class RabbitEvents implements TaskListener, AutoCloseable {

  static final int CAPACITY = 10_000;

  private static final Logger log = LoggerFactory.getLogger(RabbitEvents.class);
  private static final Duration FLUSH_LIMIT = Duration.ofSeconds(1);
  private static final long PAUSE_MILLIS = 100;
  private static final int TRANSIENT = 1;

  private final String prefix;
  private final RabbitConnection connection;
  private final SchedulerMetrics metrics;
  private final BlockingQueue<TaskEvent> buffer = new ArrayBlockingQueue<>(CAPACITY);
  private final AtomicBoolean dropping = new AtomicBoolean();
  private final Audience audience = new Audience(System::nanoTime);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread;
  private volatile Channel channel;
  private volatile boolean closing;

  /** Does not connect yet. */
  public RabbitEvents(RabbitSettings settings, SchedulerMetrics metrics) {
    this.prefix = settings.prefix();
    this.metrics = metrics;
    this.connection = new RabbitConnection(settings, "events");
    this.thread = Threads.named("carillon-rabbit-events").newThread(this::publishAll);
    connection.add(new Exchange());
  }

  /** Begins to connect, in the background. To be called once. */
  public void start() {
    connection.start();
    thread.start();
  }

  @Override
  public void happened(TaskEvent event) {
    if (mayBeHeard(event) && (closing || !buffer.offer(event))) {
      dropped();
    }
  }

  /** False when nobody has listened to such events a moment ago. */
  boolean mayBeHeard(TaskEvent event) {
    return audience.mayListenTo(event.type());
  }

  private void dropped() {
    metrics.eventDropped();
    if (dropping.compareAndSet(false, true)) {
      log.warn("events are dropped, since the broker does not take them as fast as they come");
    }
  }

  private void publishAll() {
    try {
      while (!(closing && buffer.isEmpty())) {
        Channel open = channel;
        if (open == null) {
          if (closing) {
            return;
          }
          TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } else {
          TaskEvent event = buffer.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
          if (event != null && mayBeHeard(event)) {
            publish(open, event);
          }
        }
      }
    } catch (InterruptedException e) {
      log.debug("stopped; {} events are left out", buffer.size(), e);
    } finally {
      stopped.countDown();
    }
  }

  private void publish(Channel open, TaskEvent event) {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId(event.id())
            .type(EventJson.typeOf(event))
            .contentType(EventJson.CONTENT_TYPE)
            .timestamp(Date.from(event.at()))
            .deliveryMode(TRANSIENT)
            .build();
    try {
      open.basicPublish(
          exchange(), event.type(), true, properties, EventJson.encode(event, prefix));
      if (dropping.get() && buffer.size() < CAPACITY / 2 && dropping.compareAndSet(true, false)) {
        log.info("events are published again");
      }
    } catch (IOException | AlreadyClosedException e) {
      log.debug("an event is lost with its channel", e);
      metrics.eventDropped();
      channel = null;
      connection.restoreSoon();
    } catch (RuntimeException e) { // the next event must have its turn
      log.error("event {} cannot be published", event.id(), e);
      metrics.eventDropped();
    }
  }

  private String exchange() {
    return prefix + ".events";
  }

  /** Publishes what is in the buffer for a moment, and disconnects. Idempotent. */
  @Override
  public void close() {
    closing = true;
    try {
      if (thread.isAlive() && !stopped.await(FLUSH_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        thread.interrupt();
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
    connection.close();
  }

  /** The exchange and the channel to it. */
  private final class Exchange implements Resident {

    @Override
    public void restore(Connection open) throws IOException {
      Channel current = channel;
      if (current != null && current.isOpen()) {
        return;
      }
      Channel fresh = open.openChannel().orElseThrow(() -> new IOException("no channel is left"));
      fresh.exchangeDeclare(exchange(), BuiltinExchangeType.TOPIC, true);
      fresh.addReturnListener(unheard -> audience.isAbsent(unheard.getRoutingKey()));
      channel = fresh;
    }

    @Override
    public void suspend(String reason) {
      channel = null;
    }
  }
}
