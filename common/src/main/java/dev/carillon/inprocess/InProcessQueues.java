package dev.carillon.inprocess;

import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import dev.carillon.queue.WorkQueue;
import dev.carillon.task.Parking;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The queues of an {@link InProcessBroker}. Closing them ends their subscriptions and gives what
 * these have in hand to others, just as a lost connection to a broker does. Thread-safe.
 */
public final class InProcessQueues implements PendingQueues, WorkQueue {

  /** Whoever handles a notice waits for its time; this hides how long a thread takes to wake up. */
  static final Duration LEAD = Duration.ofMillis(20);

  private final InProcessBroker broker;
  private final Set<Subscriber> subscribers = new HashSet<>();
  private volatile boolean closed;

  InProcessQueues(InProcessBroker broker) {
    this.broker = broker;
  }

  @Override
  public Place placeFor(Arming arming, Instant now) {
    String name =
        "inprocess.pending.%s.%d.%d.%d.%d"
            .formatted(
                arming.task(),
                arming.index(),
                arming.attempt(),
                arming.runAt().toEpochMilli(),
                arming.token());
    return Parking.within(broker.horizon(), arming.runAt(), now, new Place.InQueue(name, true));
  }

  @Override
  public List<ParkAnswer> park(Collection<Notice> notices) {
    List<ParkAnswer> answers = new ArrayList<>(notices.size());
    for (Notice notice : notices) {
      answers.add(park(notice));
    }
    return answers;
  }

  private ParkAnswer park(Notice notice) {
    if (isClosed()) {
      return new ParkAnswer.NotParked("the queues are closed");
    }
    if (broker.isFull()) {
      return new ParkAnswer.NotParked("full: there are " + broker.capacity() + " notices already");
    }
    Duration early = Duration.between(broker.clock().instant(), notice.runAt()).minus(LEAD);
    if (early.isNegative() || early.isZero()) {
      broker.ready().add(notice);
    } else {
      broker.hold(notice, early);
    }
    return new ParkAnswer.Parked();
  }

  @Override
  public void remove(Collection<String> queues) {
    queues.forEach(broker::remove);
  }

  @Override
  public boolean isInProcess() {
    return true;
  }

  @Override
  public boolean isAvailable() {
    return !isClosed() && !broker.isFull();
  }

  @Override
  public synchronized Subscription subscribe(int prefetch, Consumer<Delivery> listener) {
    if (prefetch < 1) {
      throw new IllegalArgumentException("prefetch must be positive: " + prefetch);
    }
    if (isClosed()) {
      throw new IllegalStateException("the queues are closed");
    }
    Subscriber subscriber = new Subscriber(broker.ready(), prefetch, listener);
    subscribers.add(subscriber);
    subscriber.start();
    return subscriber;
  }

  private boolean isClosed() {
    return closed || broker.isClosed();
  }

  @Override
  public synchronized void close() {
    closed = true;
    subscribers.forEach(Subscriber::abandon);
    subscribers.clear();
  }
}
