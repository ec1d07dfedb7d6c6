package dev.carillon.inprocess;

import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;

/** A notice in the hands of a subscriber, until it is answered. */
final class InHand implements Delivery {

  private final ReadyNotices source;
  private final Subscriber subscriber;
  private final Notice notice;
  private final boolean redelivered;

  InHand(ReadyNotices source, Subscriber subscriber, Notice notice, boolean redelivered) {
    this.source = source;
    this.subscriber = subscriber;
    this.notice = notice;
    this.redelivered = redelivered;
  }

  Subscriber subscriber() {
    return subscriber;
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
    source.ack(this);
  }

  @Override
  public void requeue() {
    source.requeue(this);
  }
}
