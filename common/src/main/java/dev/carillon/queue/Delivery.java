package dev.carillon.queue;

/**
 * A notice in the hands of a worker. It must be answered once, by {@link #ack} or {@link #requeue};
 * later answers, and answers after the connection was lost, have no effect. Thread-safe.
 */
public interface Delivery {

  Notice notice();

  /** Whether it may have been delivered before. */
  boolean isRedelivered();

  /** Done with: it will not come again. */
  void ack();

  /** Not dealt with: it comes again, perhaps to another worker. */
  void requeue();
}
