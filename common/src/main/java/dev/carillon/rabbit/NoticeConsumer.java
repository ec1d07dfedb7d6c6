package dev.carillon.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.WorkQueue;
import dev.carillon.rabbit.NoticeCodec.UnreadableNoticeException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes notices from the work queue, on a channel of its own. Whether the channel, the consumer or
 * the connection is lost, it comes back. Thread-safe.
 */
final class NoticeConsumer implements Resident, WorkQueue.Subscription {

  private static final Logger log = LoggerFactory.getLogger(NoticeConsumer.class);

  private final RabbitConnection connection;
  private final String workQueue;
  private final int prefetch;
  private final Consumer<Delivery> listener;
  private final StrayMessages strays;
  private final NoticeCodec codec = new NoticeCodec();
  private volatile Optional<Consuming> current = Optional.empty();
  private volatile boolean closed;

  NoticeConsumer(
      RabbitConnection connection,
      String workQueue,
      int prefetch,
      Consumer<Delivery> listener,
      StrayMessages strays) {
    this.connection = connection;
    this.workQueue = workQueue;
    this.prefetch = prefetch;
    this.listener = listener;
    this.strays = strays;
  }

  @Override
  public void restore(Connection open) throws IOException {
    if (closed || isActive()) {
      return;
    }
    if (current.isPresent()) {
      current.get().channel.abort();
    }
    Channel channel = open.openChannel().orElseThrow(() -> new IOException("no channel is left"));
    Consuming consuming = new Consuming(channel);
    try {
      channel.addShutdownListener(signal -> isLost(consuming));
      channel.basicQos(prefetch);
      consuming.tag =
          channel.basicConsume(
              workQueue,
              false,
              (tag, message) -> arrived(channel, message),
              tag -> isLost(consuming));
    } catch (IOException | RuntimeException e) {
      channel.abort();
      throw e;
    }
    current = Optional.of(consuming);
    if (closed) {
      cancel();
    }
  }

  private void isLost(Consuming consuming) {
    consuming.lost = true;
    if (!closed) {
      connection.restoreSoon();
    }
  }

  private void arrived(Channel channel, com.rabbitmq.client.Delivery message) {
    Receipt receipt = new Receipt(channel, message.getEnvelope().getDeliveryTag());
    if (closed) {
      receipt.requeue();
      return;
    }
    List<Notice> notices;
    try {
      notices = codec.decode(message.getBody());
    } catch (UnreadableNoticeException e) {
      strays.park(message, e.getMessage(), receipt);
      return;
    }
    boolean again = message.getEnvelope().isRedeliver();
    for (Delivery delivery : RabbitDelivery.of(notices, again, receipt)) {
      handOver(delivery);
    }
  }

  private void handOver(Delivery delivery) {
    try {
      listener.accept(delivery);
    } catch (RuntimeException e) {
      log.error(
          "the listener failed; {} comes again when the connection is closed",
          delivery.notice(),
          e);
    }
  }

  @Override
  public void suspend(String reason) {
    // the channel tells by itself when it is lost
  }

  @Override
  public boolean isActive() {
    return !closed && current.filter(Consuming::isActive).isPresent();
  }

  @Override
  public void close() {
    closed = true;
    connection.remove(this);
    cancel();
  }

  private void cancel() {
    current.filter(Consuming::isActive).ifPresent(Consuming::cancel);
  }

  /** One consumer on one channel. */
  private static final class Consuming {

    private final Channel channel;
    private volatile String tag;
    private volatile boolean lost;

    Consuming(Channel channel) {
      this.channel = channel;
    }

    boolean isActive() {
      return !lost && channel.isOpen();
    }

    /** Leaves the channel open: what came through it is answered through it. */
    void cancel() {
      lost = true;
      try {
        channel.basicCancel(tag);
      } catch (IOException | ShutdownSignalException e) {
        log.debug("consumer {} is gone already", tag, e);
      }
    }
  }
}
