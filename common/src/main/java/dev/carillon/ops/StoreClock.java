package dev.carillon.ops;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The local clock, corrected so that it agrees with the clock of the store, which is the same for
 * all processes. Uncorrected until {@link #refresh} has succeeded for the first time.
 *
 * <p>The store is asked a few times; the answer with the shortest round trip counts, as given in
 * the middle of it, and is right to within half of it and the millisecond that the store rounds to.
 * If the present correction lies within that uncertainty, it stays: a clock that is right is not
 * moved by the moods of a network.
 *
 * <p>Instants are whole milliseconds. When a correction, or whoever sets the local clock, puts the
 * time back by up to {@link #LONGEST_STANDSTILL}, the clock stands still until time has caught up,
 * so that it doesn't run backwards; when by more, it jumps back, since standing still for long
 * would do more harm. Thread-safe.
 */
public final class StoreClock implements InstantSource {

  /** Up to this much the clock stands still rather than running backwards. */
  public static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(1);

  private static final int SAMPLES = 5;

  /** The store tells its time in whole ones. */
  private static final Duration TICK = Duration.ofMillis(1);

  private record Sample(Duration offset, Duration uncertainty) {}

  private final InstantSource local;
  private final Supplier<Instant> store;
  private final LongSupplier nanos;
  private final AtomicLong latestMillis = new AtomicLong(Long.MIN_VALUE);
  private volatile Duration offset = Duration.ZERO;

  /**
   * @param store asks the store for its present; answers or throws soon
   */
  public StoreClock(InstantSource local, Supplier<Instant> store) {
    this(local, store, System::nanoTime);
  }

  StoreClock(InstantSource local, Supplier<Instant> store, LongSupplier nanos) {
    this.local = local;
    this.store = store;
    this.nanos = nanos;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    long corrected = local.instant().plus(offset).toEpochMilli();
    return latestMillis.accumulateAndGet(
        corrected,
        (latest, now) ->
            latest > now && latest - now <= LONGEST_STANDSTILL.toMillis() ? latest : now);
  }

  /** What is added to the local time: positive when the local clock is behind. */
  public Duration offset() {
    return offset;
  }

  /**
   * Compares the clocks again. To be called from time to time. If the store cannot be asked, its
   * exception comes out and the correction stays as it was.
   */
  public synchronized void refresh() {
    Sample best = sample();
    for (int i = 1; i < SAMPLES; i++) {
      Sample next = sample();
      if (next.uncertainty().compareTo(best.uncertainty()) < 0) {
        best = next;
      }
    }
    Duration change = best.offset().minus(offset);
    if (change.abs().compareTo(best.uncertainty()) > 0) {
      offset = best.offset().truncatedTo(ChronoUnit.MILLIS);
    }
  }

  private Sample sample() {
    long askedAt = nanos.getAsLong();
    Instant storeTime = store.get();
    Duration half = Duration.ofNanos((nanos.getAsLong() - askedAt) / 2);
    return new Sample(Duration.between(local.instant().minus(half), storeTime), half.plus(TICK));
  }
}
