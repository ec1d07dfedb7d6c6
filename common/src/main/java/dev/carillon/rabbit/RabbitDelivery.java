package dev.carillon.rabbit;

import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;

/** A notice that came from the broker. */
record RabbitDelivery(Notice notice, boolean isRedelivered, Receipt receipt) implements Delivery {

  @Override
  public void ack() {
    receipt.ack();
  }

  @Override
  public void requeue() {
    receipt.requeue();
  }
}
