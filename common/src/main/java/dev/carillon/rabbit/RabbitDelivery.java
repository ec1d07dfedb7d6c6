package dev.carillon.rabbit;

import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A notice that came from the broker, perhaps with others in the same message. The message is
 * acknowledged with the last of them. As soon as one is given back, all of it is: others find out
 * at the claim what has been done already, and what runs is protected by its lease.
 */
final class RabbitDelivery implements Delivery {

  private final Notice notice;
  private final boolean redelivered;
  private final Receipt receipt;
  private final AtomicInteger unanswered;
  private final AtomicBoolean answered = new AtomicBoolean();

  private RabbitDelivery(
      Notice notice, boolean redelivered, Receipt receipt, AtomicInteger unanswered) {
    this.notice = notice;
    this.redelivered = redelivered;
    this.receipt = receipt;
    this.unanswered = unanswered;
  }

  /** The deliveries that a message amounts to. */
  static List<RabbitDelivery> of(List<Notice> notices, boolean redelivered, Receipt receipt) {
    AtomicInteger unanswered = new AtomicInteger(notices.size());
    return notices.stream()
        .map(notice -> new RabbitDelivery(notice, redelivered, receipt, unanswered))
        .toList();
  }

  @Override
  public Notice notice() {
    return notice;
  }

  @Override
  public boolean isRedelivered() {
    return redelivered;
  }

  @Override
  public void ack() {
    if (answered.compareAndSet(false, true) && unanswered.decrementAndGet() == 0) {
      receipt.ack();
    }
  }

  @Override
  public void requeue() {
    if (answered.compareAndSet(false, true)) {
      receipt.requeue();
    }
  }

  @Override
  public String toString() {
    return "RabbitDelivery[" + notice + ", redelivered=" + redelivered + "]";
  }
}
