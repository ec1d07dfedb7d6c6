package dev.carillon.system;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * What has really happened, written down outside of the system: every run that reached the other
 * side, from when to when. Each takes some time, which depends on its key only. Thread-safe.
 */
final class Ledger implements AutoCloseable {

  /**
   * @param until when it was answered, whether or not anybody still listened
   */
  record Entry(Receiver.Run run, Instant until) {

    Instant at() {
      return run.at();
    }

    long token() {
      return run.fencingToken();
    }
  }

  private final Receiver receiver = new Receiver();
  private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicReference<Instant> latest = new AtomicReference<>(Instant.EPOCH);
  private volatile Function<Receiver.Run, Duration> hold = Ledger::mixed;

  Ledger() {
    receiver.answerWith(this::answer);
  }

  private int answer(Receiver.Run run) {
    open.incrementAndGet();
    begun.incrementAndGet();
    latest.accumulateAndGet(run.at(), (a, b) -> a.isAfter(b) ? a : b);
    try {
      boolean unused = closed.await(hold.apply(run).toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
    entries.add(new Entry(run, Instant.now()));
    open.decrementAndGet();
    return 204;
  }

  /** Half of the runs are over at once, so that workers are met between two runs as well. */
  static Duration mixed(Receiver.Run run) {
    Random random = new Random(run.key().hashCode());
    int kind = random.nextInt(10);
    int most = kind < 5 ? 1 : kind < 9 ? 400 : 1_200;
    return Duration.ofMillis(random.nextInt(most));
  }

  void holdEach(Function<Receiver.Run, Duration> time) {
    hold = time;
  }

  String url() {
    return receiver.url();
  }

  /** How many runs have begun so far. */
  int begun() {
    return begun.get();
  }

  /** Whether a run has begun at this time or later. */
  boolean hasRunSince(Instant time) {
    return !latest.get().isBefore(time);
  }

  /** All runs, in the order of their ends; returns when none is under way. */
  List<Entry> entries() {
    await().atMost(Duration.ofMinutes(1)).until(() -> open.get() == 0);
    return List.copyOf(entries);
  }

  @Override
  public void close() {
    closed.countDown();
    receiver.close();
  }
}
