package dev.carillon.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.carillon.ops.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes pending queues in the background, one after the other on a channel of its own, since a
 * delete holds up what comes after it. While the broker is away they wait, up to a bound, and so
 * does one whose answer went with the connection: deleting twice does no harm. One that the broker
 * refuses to delete ends by itself. Thread-safe.
 */
final class QueueRemover implements Resident, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(QueueRemover.class);
  private static final int MAX_BACKLOG = 10_000;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  /** How often one is tried: if it were what breaks the connection, it must not do so for ever. */
  private static final int MAX_TRIES = 5;

  /**
   * A queue that is to be deleted.
   *
   * @param tries how often that has been tried already
   */
  private record Removal(String queue, int tries) {}

  private final RabbitConnection connection;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<String, Removal> backlog = new LinkedHashMap<>();
  private final Thread thread;

  /** What is just being deleted. */
  private Optional<Removal> current = Optional.empty();

  /** Whether that is to be used again, so that it must not be tried another time. */
  private boolean currentIsSpared;

  private volatile Channel channel;
  private volatile boolean usable;

  QueueRemover(RabbitConnection connection, String threadName) {
    this.connection = connection;
    this.thread = Threads.named(threadName).newThread(this::removeAll);
  }

  void start() {
    thread.start();
  }

  /** Has the queues deleted soon. */
  void remove(Collection<String> queues) {
    lock.lock();
    try {
      for (String queue : queues) {
        if (backlog.size() < MAX_BACKLOG) {
          backlog.putIfAbsent(queue, new Removal(queue, 0));
        } else {
          log.debug("queue {} is left to end by itself", queue);
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The queues are about to be used again: they are not deleted any more. Waits for the one that is
   * just being deleted.
   */
  void spare(Set<String> queues, Deadline deadline) {
    lock.lock();
    try {
      queues.forEach(backlog::remove);
      if (isCurrent(queues)) {
        currentIsSpared = true;
        deadline.await(changed, () -> !isCurrent(queues));
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isCurrent(Set<String> queues) {
    return current.map(Removal::queue).filter(queues::contains).isPresent();
  }

  private void removeAll() {
    try {
      while (true) {
        Removal removal = next();
        try {
          channel.queueDelete(removal.queue());
        } catch (IOException | RuntimeException e) {
          failed(removal, e);
          connection.restoreSoon();
        }
      }
    } catch (InterruptedException e) {
      log.debug("no more queues are deleted");
    }
  }

  private Removal next() throws InterruptedException {
    lock.lock();
    try {
      current = Optional.empty();
      currentIsSpared = false;
      changed.signalAll();
      while (backlog.isEmpty() || !usable) {
        changed.await();
      }
      Removal oldest = backlog.values().iterator().next();
      backlog.remove(oldest.queue());
      current = Optional.of(oldest);
      return oldest;
    } finally {
      lock.unlock();
    }
  }

  private void failed(Removal removal, Exception failure) {
    BrokerProblem problem = BrokerProblem.of(failure);
    lock.lock();
    try {
      usable = false;
      if (problem.needsOperator() || removal.tries() + 1 >= MAX_TRIES) {
        log.debug("queue {} is left to end by itself: {}", removal.queue(), problem.reason());
      } else if (!currentIsSpared) {
        backlog.putIfAbsent(removal.queue(), new Removal(removal.queue(), removal.tries() + 1));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void restore(Connection open) throws IOException {
    if (usable && channel.isOpen()) {
      return;
    }
    Channel old = channel;
    channel = open.createChannel();
    if (old != null) {
      old.abort();
    }
    lock.lock();
    try {
      usable = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void suspend(String reason) {
    lock.lock();
    try {
      usable = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Goes on for a moment if there is something left to do, and ends. Idempotent. */
  @Override
  public void close() {
    Deadline deadline = Deadline.after(CLOSE_TIMEOUT);
    lock.lock();
    try {
      deadline.await(changed, () -> !usable || (backlog.isEmpty() && current.isEmpty()));
    } finally {
      lock.unlock();
    }
    thread.interrupt();
  }
}
