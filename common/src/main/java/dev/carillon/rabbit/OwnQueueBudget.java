package dev.carillon.rabbit;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Says whether one more queue may be declared for a notice of its own. Queues that this process has
 * declared count until they are removed here, or a little after their notice was due, when a worker
 * has removed them. Those of other processes count as the census has them; for that, a process may
 * declare no more than it has put on record before. Thread-safe.
 */
final class OwnQueueBudget {

  /** How long after its notice has left a queue may take to be removed. */
  static final Duration REMOVAL = Duration.ofSeconds(10);

  /** How many may at least be declared between two reports. */
  static final int LEAST_ALLOWANCE = 5;

  private record Declared(Instant until, String queue) {}

  /** What is on record of a queue may be later than its end by so much, or by an eighth. */
  static final Duration FINEST_STEP = Duration.ofSeconds(5);

  private final int alive;
  private final int perSecond;
  private final boolean isAlone;
  private final Map<String, Declared> byName = new HashMap<>();
  private final TreeSet<Declared> byEnd =
      new TreeSet<>(Comparator.comparing(Declared::until).thenComparing(Declared::queue));
  private double tokens;
  private Instant refilledAt = Instant.MIN;

  /** How many others have; nothing is known of them before the first report. */
  private long others;

  /** How many more may be declared by what is on record. */
  private int allowance;

  /** The same by what is being put on record. */
  private int nextAllowance;

  private int takenSinceReport;
  private boolean hasEnded;

  /**
   * @param alive how many there may be at a time
   * @param perSecond how many may be declared in a second
   * @param isAlone whether there are no other processes, so that there is no need of reports
   */
  OwnQueueBudget(int alive, int perSecond, boolean isAlone) {
    this.alive = alive;
    this.perSecond = perSecond;
    this.isAlone = isAlone;
    this.allowance = isAlone ? Integer.MAX_VALUE : 0;
    this.nextAllowance = allowance;
  }

  /** Takes one out of the budget of this second, if there is room for it. */
  synchronized boolean take(Instant now) {
    refill(now);
    if (hasEnded || tokens < 1 || allowance < 1 || aliveAt(now) + others >= alive) {
      return false;
    }
    tokens--;
    takenSinceReport++;
    if (allowance != Integer.MAX_VALUE) {
      allowance--;
      nextAllowance--;
    }
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

  /**
   * What is to be put on record: the queues there are, and those that may be declared until the
   * next report, about as many as in the time before.
   *
   * @param horizon how long a queue that is declared now may be there
   * @return how many there are until when, in steps that are the coarser the later
   */
  synchronized SortedMap<Instant, Integer> report(Instant now, Duration horizon) {
    SortedMap<Instant, Integer> report = declared(now);
    if (isAlone) {
      return report;
    }
    int left = alive - aliveAt(now);
    int wanted = Math.max(LEAST_ALLOWANCE, 2 * takenSinceReport);
    nextAllowance = Math.max(0, Math.min(Math.min(wanted, perSecond), left));
    takenSinceReport = 0;
    if (nextAllowance > 0) {
      report.merge(roundedUp(now.plus(horizon).plus(REMOVAL), now), nextAllowance, Integer::sum);
    }
    return report;
  }

  /**
   * The same for a process that ends: only the queues there are. From now on it may declare none.
   */
  synchronized SortedMap<Instant, Integer> lastReport(Instant now) {
    hasEnded = true;
    return declared(now);
  }

  private SortedMap<Instant, Integer> declared(Instant now) {
    SortedMap<Instant, Integer> declared = new TreeMap<>();
    if (aliveAt(now) > 0) {
      byEnd.forEach(queue -> declared.merge(roundedUp(queue.until(), now), 1, Integer::sum));
    }
    return declared;
  }

  /** In steps, so that a record of a thousand queues is short. */
  private static Instant roundedUp(Instant until, Instant now) {
    long part = Long.highestOneBit(Math.max(1, Duration.between(now, until).toMillis() / 8));
    long step = Math.max(FINEST_STEP.toMillis(), part);
    return Instant.ofEpochMilli((Math.floorDiv(until.toEpochMilli(), step) + 1) * step);
  }

  /** The latest report is on record. */
  synchronized void reported(long ofOthers) {
    others = ofOthers;
    allowance = nextAllowance;
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
