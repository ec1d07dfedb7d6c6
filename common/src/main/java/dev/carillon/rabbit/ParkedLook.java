package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import dev.carillon.queue.ParkedBusyException;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One look at the queue for what was put aside: messages are got one after the other without
 * acknowledging them, and given back at the end. However it ends, nothing is lost: what a closed
 * channel has not acknowledged is in the queue again.
 *
 * <p>All that is within reach is got each time, since what is given back may go to the end of the
 * queue: a part of it would change places with the rest. And while one looks, others would see a
 * part of the queue only. So whoever looks owns an exclusive queue meanwhile, as a lock among all
 * processes; the broker takes it away from a connection that is lost. Used by one thread.
 */
final class ParkedLook implements AutoCloseable {

  /** As a delivery tag, with "multiple". */
  private static final long ALL = 0;

  private static final Logger log = LoggerFactory.getLogger(ParkedLook.class);
  private static final Duration PAUSE = Duration.ofMillis(20);

  /** Longer than a look may take; in case that its owner forgets the lock. */
  private static final Duration LOCK_LIFE = Duration.ofSeconds(30);

  private final Channel channel;
  private final String queue;
  private final String lock;
  private final List<GetResponse> messages = new ArrayList<>();
  private long beyondReach;
  private int held;

  private ParkedLook(Channel channel, String queue, String lock) throws IOException {
    this.channel = channel;
    this.queue = queue;
    this.lock = lock;
    getAll();
    this.held = messages.size();
  }

  /**
   * Waits until nobody else looks.
   *
   * @throws ParkedBusyException when others did until the deadline
   */
  static ParkedLook begin(Connection connection, Topology topology, Deadline deadline)
      throws IOException {
    String lock = topology.parkedQueue() + ".lock";
    Map<String, Object> arguments =
        Map.of("x-queue-type", QueueType.CLASSIC.argument(), "x-expires", LOCK_LIFE.toMillis());
    while (true) {
      Channel channel =
          connection.openChannel().orElseThrow(() -> new IOException("no channel is left"));
      try {
        channel.queueDeclare(lock, false, true, false, arguments);
        String queue = topology.parkedQueue();
        return new ParkedLook(channel, queue, lock);
      } catch (IOException | ShutdownSignalException e) {
        channel.abort();
        boolean isTaken = BrokerProblem.of(e).hasCode(AMQP.RESOURCE_LOCKED);
        if (!isTaken) {
          throw e;
        }
        if (deadline.isOver()) {
          throw new ParkedBusyException();
        }
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  /** Bodies are kept in memory during a look. */
  private void getAll() throws IOException {
    long bytes = 0;
    boolean isEnd = false;
    while (!isEnd && messages.size() < ParkedMessages.REACH && bytes < ParkedMessages.REACH_BYTES) {
      GetResponse next = channel.basicGet(queue, false);
      isEnd = next == null;
      if (!isEnd) {
        messages.add(next);
        bytes += next.getBody().length;
      }
    }
    beyondReach = isEnd ? 0 : channel.messageCount(queue);
  }

  /** What is within reach. */
  List<GetResponse> messages() {
    return messages;
  }

  /** How many more are in the queue. */
  long beyondReach() {
    return beyondReach;
  }

  Optional<GetResponse> find(String id) {
    return messages.stream().filter(message -> ParkedForm.idOf(message).equals(id)).findFirst();
  }

  /** The message leaves the queue for good. */
  void take(GetResponse message) throws IOException {
    channel.basicAck(message.getEnvelope().getDeliveryTag(), false);
    held--;
  }

  /** Gives back what was not taken, and waits until it is there for whoever looks next. */
  @Override
  public void close() {
    try {
      if (held > 0) {
        channel.basicNack(ALL, true, true);
        Deadline deadline = Deadline.after(Duration.ofSeconds(1));
        while (channel.messageCount(queue) < held && !deadline.isOver()) {
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      }
      channel.queueDelete(lock);
    } catch (IOException | ShutdownSignalException e) {
      log.debug("the channel is gone; what was not acknowledged is in the queue again", e);
    } finally {
      abort();
    }
  }

  private void abort() {
    try {
      channel.abort();
    } catch (IOException e) {
      log.debug("the channel is gone already", e);
    }
  }
}
