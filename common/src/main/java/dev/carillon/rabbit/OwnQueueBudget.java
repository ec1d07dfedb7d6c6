package dev.carillon.rabbit;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Says whether one more queue may be declared for a notice of its own. Queues that this process has
 * declared count until they are removed here, or a little after their notice was due, when a worker
 * has removed them. What other processes have declared is known from counting. Thread-safe.
 */
final class OwnQueueBudget {

  /** How long after its notice has left a queue may take to be removed. */
  static final Duration REMOVAL = Duration.ofSeconds(10);

  private record Declared(Instant until, String queue) {}

  private final int alive;
  private final int perSecond;
  private final Map<String, Declared> byName = new HashMap<>();
  private final TreeSet<Declared> byEnd =
      new TreeSet<>(Comparator.comparing(Declared::until).thenComparing(Declared::queue));
  private double tokens;
  private Instant refilledAt = Instant.MIN;

  /**
   * @param alive how many there may be at a time
   * @param perSecond how many may be declared in a second
   */
  OwnQueueBudget(int alive, int perSecond) {
    this.alive = alive;
    this.perSecond = perSecond;
  }

  /** Takes one out of the budget of this second, if there is room for it. */
  synchronized boolean take(Instant now) {
    refill(now);
    if (tokens < 1 || aliveAt(now) >= alive) {
      return false;
    }
    tokens--;
    return true;
  }

  private void refill(Instant now) {
    if (refilledAt.equals(Instant.MIN)) {
      tokens = perSecond;
    } else if (now.isAfter(refilledAt)) {
      double seconds = Duration.between(refilledAt, now).toNanos() / 1e9;
      tokens = Math.min(perSecond, tokens + seconds * perSecond);
    }
    refilledAt = now; // also when the clock was set back: then it goes on from there
  }

  /** How many queues there are, as far as this process knows. */
  synchronized int aliveAt(Instant now) {
    while (!byEnd.isEmpty() && byEnd.first().until().isBefore(now)) {
      byName.remove(byEnd.pollFirst().queue());
    }
    return byEnd.size();
  }

  /** A queue is being declared, for a notice that leaves it then. */
  synchronized void declared(String queue, Instant leavesAt) {
    removed(queue);
    Declared declared = new Declared(leavesAt.plus(REMOVAL), queue);
    byName.put(queue, declared);
    byEnd.add(declared);
  }

  /** A queue is being removed; no matter whether this process has declared it. */
  synchronized void removed(String queue) {
    Declared declared = byName.remove(queue);
    if (declared != null) {
      byEnd.remove(declared);
    }
  }
}
