package dev.carillon.rabbit;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.queue.PendingQueues;
import dev.carillon.queue.WorkQueue;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * The queues on a RabbitMQ broker. Each pending notice has a durable queue of its own.
 *
 * <p>Publishing and consuming have a connection each; the second is opened with the first
 * subscription. Both are opened in the background and kept: nothing here waits for a broker that is
 * away, or throws because of it. Thread-safe.
 */
public final class RabbitQueues implements PendingQueues, WorkQueue {

  private static final int PARKING_CHANNELS = 4;
  private static final int MESSAGE_CHANNELS = 4;
  private static final int MAX_PREFETCH = 65_535;

  private final RabbitSettings settings;
  private final Topology topology;
  private final RabbitConnection publishing;
  private final RabbitConnection consuming;
  private final RabbitConnection messages;
  private final ChannelPool parkingChannels;
  private final QueueRemover remover;
  private final PendingQueuePublisher publisher;
  private final StrayMessages strays;
  private final ParkedQueue parked;
  private final RabbitMessagePublisher messagePublisher;
  private volatile boolean subscribed;
  private boolean closed;

  /**
   * Does not connect yet.
   *
   * @param clock what "due" is measured by
   * @throws IllegalArgumentException if the broker's URI cannot be understood
   */
  public RabbitQueues(RabbitSettings settings, InstantSource clock, SchedulerMetrics metrics) {
    this.settings = settings;
    this.topology = new Topology(settings.prefix(), settings.workQueueType());
    this.publishing = new RabbitConnection(settings, "publisher");
    this.consuming = new RabbitConnection(settings, "consumer");
    this.messages = new RabbitConnection(settings, "messages");
    this.parkingChannels = new ChannelPool(publishing, PARKING_CHANNELS);
    this.remover = new QueueRemover(publishing, "carillon-rabbit-remover");
    Runnable repair = publishing::restoreSoon;
    this.publisher =
        new PendingQueuePublisher(parkingChannels, remover, topology, repair, settings, clock);
    this.strays = new StrayMessages(parkingChannels, topology, repair, clock, metrics);
    this.parked = new ParkedQueue(parkingChannels, topology, repair, clock, metrics);
    ChannelPool messageChannels = new ChannelPool(messages, MESSAGE_CHANNELS);
    this.messagePublisher = new RabbitMessagePublisher(messageChannels);
    publishing.add(topology);
    publishing.add(parkingChannels);
    publishing.add(remover);
    publishing.add(parked);
    consuming.add(topology);
    messages.add(messageChannels);
  }

  /** Begins to connect, in the background. To be called once. */
  public void start() {
    remover.start();
    publishing.start();
  }

  @Override
  public Duration horizon() {
    return settings.horizon();
  }

  @Override
  public String queueFor(TaskId task, long index, int attempt, Instant runAt, long token) {
    return topology.pendingQueue(task, index, attempt, runAt, token);
  }

  @Override
  public List<ParkAnswer> park(Collection<Notice> notices) {
    return publisher.park(notices);
  }

  @Override
  public void remove(Collection<String> queues) {
    remover.remove(queues);
  }

  @Override
  public boolean isAvailable() {
    return publishing.state().isConnected();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The listener is called on the connection's threads. What was delivered and not answered goes
   * to others when these queues are closed.
   *
   * @throws IllegalStateException after {@link #close}
   */
  @Override
  public synchronized Subscription subscribe(int prefetch, Consumer<Delivery> listener) {
    if (prefetch < 1 || prefetch > MAX_PREFETCH) {
      throw new IllegalArgumentException(
          "prefetch must be from 1 to " + MAX_PREFETCH + ": " + prefetch);
    }
    if (closed) {
      throw new IllegalStateException("the queues are closed");
    }
    NoticeConsumer consumer =
        new NoticeConsumer(consuming, topology.workQueue(), prefetch, listener, strays);
    consuming.add(consumer);
    subscribed = true;
    consuming.start();
    return consumer;
  }

  /** What was put aside here. */
  public ParkedMessages parkedMessages() {
    return parked;
  }

  /** For messages of users. Its connection is opened, in the background, with the first call. */
  public RabbitMessagePublisher messagePublisher() {
    messages.start();
    return messagePublisher;
  }

  /** Whether the broker can be used now; for people, and for health checks. */
  public RabbitState state() {
    RabbitState toPublish = publishing.state();
    return toPublish.isConnected() && subscribed ? consuming.state() : toPublish;
  }

  /**
   * Ends all subscriptions, sends what is left of removals for a moment, and disconnects. What was
   * delivered and not answered goes to others. Idempotent.
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      consuming.close();
      strays.close();
      remover.close();
      publishing.close();
      messages.close();
    }
  }
}
