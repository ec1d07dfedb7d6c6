package dev.carillon.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The right to answer one delivery, once, while its channel is open. Thread-safe. */
final class Receipt {

  private static final Logger log = LoggerFactory.getLogger(Receipt.class);

  private final Channel channel;
  private final long tag;
  private final AtomicBoolean answered = new AtomicBoolean();

  Receipt(Channel channel, long tag) {
    this.channel = channel;
    this.tag = tag;
  }

  boolean isValid() {
    return !answered.get() && channel.isOpen();
  }

  void ack() {
    if (answered.compareAndSet(false, true)) {
      try {
        channel.basicAck(tag, false);
      } catch (IOException | ShutdownSignalException e) {
        log.debug("not acknowledged; it is delivered again", e);
      }
    }
  }

  void requeue() {
    if (answered.compareAndSet(false, true)) {
      try {
        channel.basicReject(tag, true);
      } catch (IOException | ShutdownSignalException e) {
        log.debug("not given back; it is delivered again anyway", e);
      }
    }
  }
}
