package dev.carillon.rabbit;

import com.rabbitmq.client.Connection;
import dev.carillon.rabbit.PublishAnswer.NotConfirmed;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A few channels for publishing, shared by any number of threads. When the broker is away or
 * blocked, callers are told so at once instead of piling up. Thread-safe.
 */
final class ChannelPool implements Resident {

  /** How long after its deadline a thread may still be writing before the connection is cut. */
  private static final Duration STUCK_AFTER = Duration.ofMillis(500);

  private final RabbitConnection connection;
  private final int size;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<ConfirmChannel> channels = new HashSet<>();
  private final Deque<ConfirmChannel> idle = new ArrayDeque<>();
  private final List<ConfirmChannel> broken = new ArrayList<>(); // used by the supervisor only
  private String suspended = "not connected yet";

  ChannelPool(RabbitConnection connection, int size) {
    this.connection = connection;
    this.size = size;
  }

  /**
   * Publishes on one channel and returns by the deadline, with an answer to each message in their
   * order.
   *
   * @param postings each is asked for when it is sent
   */
  List<PublishAnswer> publish(List<? extends Supplier<Posting>> postings, Deadline deadline) {
    ConfirmChannel channel;
    lock.lock();
    try {
      boolean inTime = deadline.await(changed, () -> suspended != null || hasIdle());
      if (!inTime || suspended != null) {
        String reason = suspended != null ? suspended : "all channels are busy";
        return Collections.nCopies(postings.size(), new NotConfirmed(reason));
      }
      channel = idle.pop();
    } finally {
      lock.unlock();
    }
    Future<?> cut = connection.cutAfter(deadline, STUCK_AFTER, channel::isWriting);
    try {
      return channel.publish(postings, deadline);
    } finally {
      cut.cancel(false);
      giveBack(channel);
    }
  }

  private boolean hasIdle() {
    idle.removeIf(channel -> !channel.isUsable());
    return !idle.isEmpty();
  }

  private void giveBack(ConfirmChannel channel) {
    lock.lock();
    try {
      if (channels.contains(channel) && channel.isUsable()) {
        idle.push(channel);
        changed.signal();
        return;
      }
    } finally {
      lock.unlock();
    }
    connection.restoreSoon();
  }

  @Override
  public void restore(Connection open) throws IOException {
    broken.addAll(takeBroken());
    for (int missing = missing(); missing > 0; missing--) {
      add(ConfirmChannel.open(open, connection::restoreSoon));
    }
    for (ConfirmChannel channel : broken) {
      channel.abort();
    }
    broken.clear();
    lock.lock();
    try {
      suspended = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private List<ConfirmChannel> takeBroken() {
    lock.lock();
    try {
      List<ConfirmChannel> unusable = new ArrayList<>(channels);
      unusable.removeIf(ConfirmChannel::isUsable);
      unusable.forEach(channels::remove);
      idle.removeAll(unusable);
      return unusable;
    } finally {
      lock.unlock();
    }
  }

  private int missing() {
    lock.lock();
    try {
      return size - channels.size();
    } finally {
      lock.unlock();
    }
  }

  private void add(ConfirmChannel channel) {
    lock.lock();
    try {
      channels.add(channel);
      idle.push(channel);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void suspend(String reason) {
    lock.lock();
    try {
      suspended = reason;
      changed.signalAll();
      channels.forEach(channel -> channel.giveUp(reason));
    } finally {
      lock.unlock();
    }
  }
}
