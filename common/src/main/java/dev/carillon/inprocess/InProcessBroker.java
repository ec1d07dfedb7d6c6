package dev.carillon.inprocess;

import dev.carillon.queue.Notice;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;

/**
 * What a message broker is to the processes of a system, within one JVM: {@link #connect} gives
 * each part of the process its own way in, so that the parts start and stop independently of each
 * other.
 *
 * <p>Everything in it is lost with the process. The horizon is therefore short: what is further
 * away waits in the store. Memory is bounded by the capacity. Thread-safe.
 */
public final class InProcessBroker implements AutoCloseable {

  /** A horizon that keeps little in memory and asks little of the store. */
  public static final Duration DEFAULT_HORIZON = Duration.ofSeconds(10);

  /** How many notices are kept unless something else is asked for. */
  public static final int DEFAULT_CAPACITY = 100_000;

  private final Duration horizon;
  private final int capacity;
  private final InstantSource clock;
  private final WaitingNotices waiting = new WaitingNotices();
  private final ReadyNotices ready = new ReadyNotices();
  private final InProcessParkedMessages parked;
  private volatile boolean closed;

  public InProcessBroker(InstantSource clock) {
    this(DEFAULT_HORIZON, DEFAULT_CAPACITY, clock);
  }

  /**
   * @param horizon firings further away are not to be parked yet
   * @param capacity how many notices may be parked or due at a time; more are not parked
   * @param clock what "due" is measured by
   */
  public InProcessBroker(Duration horizon, int capacity, InstantSource clock) {
    if (horizon.isNegative() || horizon.isZero() || capacity < 1) {
      throw new IllegalArgumentException("horizon and capacity must be positive");
    }
    this.horizon = horizon;
    this.capacity = capacity;
    this.clock = Objects.requireNonNull(clock, "clock");
    this.parked = new InProcessParkedMessages(clock);
  }

  /** A way in for one part of the process, which closes it when it stops. */
  public InProcessQueues connect() {
    return new InProcessQueues(this);
  }

  /** What was put aside by all parts of the process. */
  public InProcessParkedMessages parkedMessages() {
    return parked;
  }

  /** Forgets every notice and ends every subscription. Idempotent. */
  @Override
  public void close() {
    closed = true;
    waiting.close();
    ready.close();
  }

  Duration horizon() {
    return horizon;
  }

  InstantSource clock() {
    return clock;
  }

  ReadyNotices ready() {
    return ready;
  }

  boolean isClosed() {
    return closed;
  }

  boolean isFull() {
    return waiting.size() + ready.size() >= capacity;
  }

  int capacity() {
    return capacity;
  }

  /** Keeps the notice for so long and then hands it out. */
  void hold(Notice notice, Duration delay) {
    waiting.hold(notice, delay, ready::add);
  }

  void remove(String queue) {
    waiting.remove(queue);
  }
}
