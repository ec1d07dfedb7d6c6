package dev.carillon.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.carillon.ops.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes pending queues in the background, one after the other on a channel of its own, since a
 * delete holds up what comes after it. While the broker is away they wait, up to a bound; one that
 * is left over ends by itself. Thread-safe.
 */
final class QueueRemover implements Resident, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(QueueRemover.class);
  private static final int MAX_BACKLOG = 10_000;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  private final RabbitConnection connection;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<String> backlog = new LinkedHashSet<>();
  private final Thread thread;
  private Optional<String> current = Optional.empty();
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
          backlog.add(queue);
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
      deadline.await(changed, () -> current.filter(queues::contains).isEmpty());
    } finally {
      lock.unlock();
    }
  }

  private void removeAll() {
    try {
      while (true) {
        String queue = next();
        try {
          channel.queueDelete(queue);
        } catch (IOException | RuntimeException e) {
          log.debug("queue {} is left to end by itself", queue, e);
          usable = false;
          connection.restoreSoon();
        }
      }
    } catch (InterruptedException e) {
      log.debug("no more queues are deleted");
    }
  }

  private String next() throws InterruptedException {
    lock.lock();
    try {
      current = Optional.empty();
      changed.signalAll();
      while (backlog.isEmpty() || !usable) {
        changed.await();
      }
      Iterator<String> oldest = backlog.iterator();
      String queue = oldest.next();
      oldest.remove();
      current = Optional.of(queue);
      return queue;
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
