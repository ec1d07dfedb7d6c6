package dev.carillon.rabbit;

import dev.carillon.batch.Gathering;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.IncomingMessages;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.queue.PendingQueues;
import dev.carillon.queue.QueueCensus;
import dev.carillon.queue.WorkQueue;
import dev.carillon.task.Priority;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The queues on a RabbitMQ broker. A pending notice has a durable queue of its own, or shares a
 * slot of the wheel with others that are due at about the same time.
 *
 * <p>Publishing and consuming have a connection each; the second is opened with the first
 * subscription. Both are opened in the background and kept: nothing here waits for a broker that is
 * away, or throws because of it. Thread-safe.
 */
public final class RabbitQueues implements PendingQueues, WorkQueue {

  private static final int PARKING_CHANNELS = 16;
  private static final int MESSAGE_CHANNELS = 4;

  /** How many batches of notices may be on their way to the wheel at a time. */
  private static final int WHEEL_BATCHES = 2;

  private static final int WHEEL_BATCH = 2_000;
  private static final int MAX_PREFETCH = 65_535;

  private final Topology topology;
  private final OwnQueueBudget budget;
  private final Optional<CensusTaker> censusTaker;
  private final PendingPlaces places;
  private final RabbitConnection publishing;
  private final RabbitConnection consuming;
  private final RabbitConnection messages;
  private final ChannelPool parkingChannels;
  private final QueueRemover remover;
  private final PendingQueuePublisher publisher;
  private final Gathering<Notice, ParkAnswer> toWheel;
  private final RabbitSettings settings;
  private final Aside aside;
  private final StrayMessages strays;
  private final ParkedQueue parked;
  private final RabbitMessagePublisher messagePublisher;
  private volatile boolean subscribed;
  private boolean closed;

  /** For a process that has the broker for itself. */
  public RabbitQueues(RabbitSettings settings, InstantSource clock, SchedulerMetrics metrics) {
    this(settings, clock, metrics, QueueCensus.ALONE);
  }

  /**
   * Does not connect yet.
   *
   * @param clock what "due" is measured by
   * @param census how the number of own queues is kept in bounds over all processes
   * @throws IllegalArgumentException if the broker's URI cannot be understood
   */
  public RabbitQueues(
      RabbitSettings settings, InstantSource clock, SchedulerMetrics metrics, QueueCensus census) {
    this.settings = settings;
    PendingShape shape = settings.shape();
    this.topology =
        new Topology(
            settings.prefix(),
            settings.workQueueType(),
            Optional.of(shape.wheel()).filter(any -> shape.hasWheel()));
    boolean isAlone = census == QueueCensus.ALONE || shape.mode() != PendingShape.Mode.AUTO;
    this.budget = new OwnQueueBudget(shape.ownAlive(), shape.ownPerSecond(), isAlone);
    // own queues without a budget take up room in that of others, now or after a restart
    boolean isCounted = census != QueueCensus.ALONE && shape.mode() != PendingShape.Mode.WHEEL;
    this.censusTaker =
        isCounted
            ? Optional.of(new CensusTaker(budget, census, clock, settings.horizon()))
            : Optional.empty();
    this.places = new PendingPlaces(topology, shape, settings.horizon(), budget);
    this.publishing = new RabbitConnection(settings, "publisher");
    this.consuming = new RabbitConnection(settings, "consumer");
    this.messages = new RabbitConnection(settings, "messages");
    this.parkingChannels = new ChannelPool(publishing, PARKING_CHANNELS);
    this.remover = new QueueRemover(publishing, "carillon-rabbit-remover");
    Runnable repair = publishing::restoreSoon;
    this.publisher =
        new PendingQueuePublisher(
            parkingChannels, remover, topology, repair, settings, budget, clock);
    this.toWheel = new Gathering<>(WHEEL_BATCHES, WHEEL_BATCH, publisher::park, failure -> false);
    this.aside = new Aside(parkingChannels, topology, repair, clock, metrics);
    this.strays = new StrayMessages(aside);
    this.parked = new ParkedQueue(aside, topology, repair);
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
    censusTaker.ifPresent(CensusTaker::start);
    remover.start();
    publishing.start();
  }

  @Override
  public Place placeFor(Arming arming, Instant now) {
    return places.placeFor(arming, now);
  }

  /**
   * {@inheritDoc}
   *
   * <p>What goes to the wheel meanwhile, from whatever thread, goes together.
   */
  @Override
  public List<ParkAnswer> park(Collection<Notice> notices) {
    Map<Boolean, List<Notice>> byShape =
        notices.stream().collect(Collectors.partitioningBy(n -> topology.isSlotQueue(n.queue())));
    if (byShape.get(true).isEmpty()) {
      return publisher.park(notices);
    }
    Iterator<ParkAnswer> own = publisher.park(byShape.get(false)).iterator();
    Iterator<ParkAnswer> shared = toWheel.call(byShape.get(true)).iterator();
    return notices.stream()
        .map(notice -> topology.isSlotQueue(notice.queue()) ? shared.next() : own.next())
        .toList();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Slots of the wheel stay as they are: what is in them dies at its claim.
   */
  @Override
  public void remove(Collection<String> queues) {
    List<String> own = queues.stream().filter(topology::isOwnQueue).toList();
    own.forEach(budget::removed);
    remover.remove(own);
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
    List<NoticeConsumer> consumers = new ArrayList<>();
    for (Priority priority : Priority.values()) {
      consumers.add(
          new NoticeConsumer(consuming, topology.workQueue(priority), prefetch, listener, strays));
    }
    consumers.forEach(consuming::add);
    subscribed = true;
    consuming.start();
    return new Subscriptions(consumers);
  }

  /** Several at a time, as one. */
  private record Subscriptions(List<? extends Subscription> parts) implements Subscription {
    @Override
    public boolean isActive() {
      return parts.stream().allMatch(Subscription::isActive);
    }

    @Override
    public void close() {
      parts.forEach(Subscription::close);
    }
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

  /**
   * Where publishers send messages that are to be delivered later. It has a connection of its own,
   * and is to be closed before these queues.
   *
   * @param targets the exchanges that the messages are for in the end
   * @param taker is called by one thread for each of them
   */
  public RabbitIngress ingress(List<String> targets, IncomingMessages taker) {
    return new RabbitIngress(settings, topology, aside, targets, taker);
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
      censusTaker.ifPresent(CensusTaker::close);
      consuming.close();
      strays.close();
      remover.close();
      publishing.close();
      messages.close();
    }
  }
}
