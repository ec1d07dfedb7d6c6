package dev.carillon.queue;

import java.util.function.Consumer;

/** "It is due": where notices arrive shortly before their time. Thread-safe. */
public interface WorkQueue {

  /**
   * Starts to take notices. They come a little early or late; whoever handles one waits for its
   * time. If the connection is lost, the subscription comes back by itself with it, and what was
   * delivered and not acknowledged is delivered again.
   *
   * <p>Messages that are not notices don't arrive here: the adapter puts them aside, with the
   * reason.
   *
   * <p>Notices that were parked together may arrive together, as one delivery after the other. If
   * one of them is given back, others that arrived with it may come again as well.
   *
   * @param prefetch how many notices, or bunches of notices that arrive together, of each priority
   *     may be delivered and not acknowledged at a time
   * @param listener gets each delivery; must return quickly and not throw
   */
  Subscription subscribe(int prefetch, Consumer<Delivery> listener);

  /** Takes notices until it is closed. */
  interface Subscription extends AutoCloseable {

    /** Whether notices can arrive now: the consumer is known to the broker. */
    boolean isActive();

    /**
     * Takes no more notices. Those delivered already may still be acknowledged; what is not
     * acknowledged when the connection closes is delivered again to others. Idempotent.
     */
    @Override
    void close();
  }
}
