package dev.carillon.inprocess;

import dev.carillon.queue.Notice;
import dev.carillon.task.Priority;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Notices that are due, by priority and then first in first out, and who has which of them in hand.
 * All that changes hands does so under the one monitor of this object. Thread-safe.
 */
final class ReadyNotices implements AutoCloseable {

  private final Map<Priority, Deque<Ready>> ready = new EnumMap<>(Priority.class);
  private final Set<Subscriber> subscribers = new HashSet<>();
  private boolean closed;

  private record Ready(Notice notice, boolean redelivered) {}

  ReadyNotices() {
    for (Priority priority : Priority.values()) {
      ready.put(priority, new ArrayDeque<>());
    }
  }

  synchronized void add(Notice notice) {
    if (!closed) {
      ready.get(notice.priority()).addLast(new Ready(notice, false));
      notifyAll();
    }
  }

  /** How many wait to be taken. */
  synchronized int size() {
    return ready.values().stream().mapToInt(Deque::size).sum();
  }

  /** Whether the subscriber may take notices from now on. */
  synchronized boolean join(Subscriber subscriber) {
    return !closed && subscribers.add(subscriber);
  }

  synchronized boolean has(Subscriber subscriber) {
    return subscribers.contains(subscriber);
  }

  /**
   * Waits for the next notice and puts it into the subscriber's hands; empty once the subscriber
   * has left.
   */
  synchronized Optional<InHand> take(Subscriber subscriber) throws InterruptedException {
    while (subscribers.contains(subscriber)) {
      if (subscriber.inHand().size() < subscriber.prefetch() && size() > 0) {
        Ready next = removeMostUrgent();
        InHand taken = new InHand(this, subscriber, next.notice(), next.redelivered());
        subscriber.inHand().add(taken);
        return Optional.of(taken);
      }
      wait();
    }
    return Optional.empty();
  }

  private Ready removeMostUrgent() {
    return ready.values().stream()
        .filter(some -> !some.isEmpty())
        .findFirst()
        .orElseThrow()
        .removeFirst();
  }

  synchronized void ack(InHand taken) {
    if (taken.subscriber().inHand().remove(taken)) {
      notifyAll();
    }
  }

  synchronized void requeue(InHand taken) {
    if (taken.subscriber().inHand().remove(taken)) {
      ready.get(taken.notice().priority()).addFirst(new Ready(taken.notice(), true));
      notifyAll();
    }
  }

  /** The subscriber takes no more. What it has in hand stays there. */
  synchronized void leave(Subscriber subscriber) {
    subscribers.remove(subscriber);
    notifyAll();
  }

  /** The subscriber takes no more, and what it has in hand goes to others. */
  synchronized void abandon(Subscriber subscriber) {
    leave(subscriber);
    List<InHand> taken = new ArrayList<>(subscriber.inHand());
    for (int i = taken.size() - 1; i >= 0; i--) {
      requeue(taken.get(i));
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    ready.values().forEach(Deque::clear);
    subscribers.clear();
    notifyAll();
  }
}
