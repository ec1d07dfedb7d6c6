package dev.carillon.inprocess;

import dev.carillon.queue.Delivery;
import dev.carillon.queue.WorkQueue;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes notices on a thread of its own and hands them to a listener. Thread-safe. */
final class Subscriber implements WorkQueue.Subscription {

  private static final Logger log = LoggerFactory.getLogger(Subscriber.class);
  private static final AtomicInteger threads = new AtomicInteger();

  private final ReadyNotices source;
  private final int prefetch;
  private final Consumer<Delivery> listener;
  private final Set<InHand> inHand = new LinkedHashSet<>(); // guarded by the source

  Subscriber(ReadyNotices source, int prefetch, Consumer<Delivery> listener) {
    this.source = source;
    this.prefetch = prefetch;
    this.listener = listener;
  }

  void start() {
    if (!source.join(this)) {
      throw new IllegalStateException("the queues are closed");
    }
    Thread thread =
        new Thread(this::takeAll, "carillon-inprocess-consumer-" + threads.incrementAndGet());
    thread.setDaemon(true);
    thread.start();
  }

  private void takeAll() {
    try {
      Optional<InHand> taken = source.take(this);
      while (taken.isPresent()) {
        handOver(taken.get());
        taken = source.take(this);
      }
    } catch (InterruptedException e) {
      source.leave(this);
    }
  }

  private void handOver(InHand taken) {
    try {
      listener.accept(taken);
    } catch (RuntimeException e) {
      log.error(
          "the listener failed; {} comes again when the queues are closed", taken.notice(), e);
    }
  }

  int prefetch() {
    return prefetch;
  }

  /** What was taken and not answered; only to be used by the source. */
  Set<InHand> inHand() {
    return inHand;
  }

  @Override
  public boolean isActive() {
    return source.has(this);
  }

  @Override
  public void close() {
    source.leave(this);
  }

  /** Closes and gives back what is in hand. */
  void abandon() {
    source.abandon(this);
  }
}
