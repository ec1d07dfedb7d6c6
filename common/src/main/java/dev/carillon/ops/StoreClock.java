package dev.carillon.ops;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The clock of the store, which is the same for all processes, as this process has it: what the
 * store has last said, and the time that has elapsed since by the machine's counter, which nobody
 * sets. The local clock until {@link #refresh} has succeeded for the first time.
 *
 * <p>The store is asked a few times; the answer with the shortest round trip counts, as given in
 * the middle of it, and is right to within half of it and the millisecond that the store rounds to.
 * If what this clock says lies within that uncertainty, it stays: a clock that is right is not
 * moved by the moods of a network.
 *
 * <p>It knows by how much it may be wrong, and {@link #isReliable} compares that with the limit.
 * The local clock is not followed, but watched: when it has moved otherwise than the counter,
 * somebody has set it, or the machine was suspended and the counter stood still, and nobody can
 * tell which before the next comparison.
 *
 * <p>Instants are whole milliseconds. When a correction puts the time back by up to {@link
 * #LONGEST_STANDSTILL}, the clock stands still until time has caught up, so that it doesn't run
 * backwards; when by more, it jumps back, since standing still for long would do more harm.
 * Thread-safe.
 */
public final class StoreClock implements InstantSource {

  /** Up to this much the clock stands still rather than running backwards. */
  public static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(1);

  public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(5);

  private static final int SAMPLES = 5;

  /** The store tells its time in whole ones. */
  private static final Duration TICK = Duration.ofMillis(1);

  /** A counter that gains or loses more than one in so many is broken. */
  private static final int LEAST_PER_DRIFT = 1_000;

  /**
   * What is known of an instant in the past.
   *
   * @param counter when that was, by the machine's counter
   * @param time the store's at that instant
   * @param localTime the local clock's at that instant
   * @param uncertainty by how much {@code time} may be wrong
   */
  private record Fix(long counter, Instant time, Instant localTime, Duration uncertainty) {}

  private final InstantSource local;
  private final Supplier<Instant> store;
  private final Duration limit;
  private final LongSupplier nanos;
  private final AtomicLong latestMillis = new AtomicLong(Long.MIN_VALUE);
  private volatile Optional<Fix> fix = Optional.empty();

  /**
   * @param store asks the store for its present; answers or throws soon
   * @param limit by how much this clock may be wrong and still be relied on
   */
  public StoreClock(InstantSource local, Supplier<Instant> store, Duration limit) {
    this(local, store, limit, System::nanoTime);
  }

  StoreClock(InstantSource local, Supplier<Instant> store, Duration limit, LongSupplier nanos) {
    this.local = local;
    this.store = store;
    this.limit = limit;
    this.nanos = nanos;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    long corrected = present().toEpochMilli();
    return latestMillis.accumulateAndGet(
        corrected,
        (latest, now) ->
            latest > now && latest - now <= LONGEST_STANDSTILL.toMillis() ? latest : now);
  }

  private Instant present() {
    return fix.map(known -> timeAt(known, nanos.getAsLong())).orElseGet(local::instant);
  }

  private static Instant timeAt(Fix known, long counter) {
    return known.time().plusNanos(counter - known.counter());
  }

  /** How far the local clock is behind the store's; negative when it is ahead. */
  public Duration offset() {
    return fix.isPresent() ? Duration.between(local.instant(), present()) : Duration.ZERO;
  }

  /**
   * Whether this clock is known to be right to within the limit. If it is not, nothing may be
   * decided by it that others rely on.
   */
  public boolean isReliable() {
    return possibleError().filter(error -> error.compareTo(limit) <= 0).isPresent();
  }

  /** By how much this clock may be wrong; empty before the first comparison. */
  private Optional<Duration> possibleError() {
    return fix.map(known -> known.uncertainty().plus(drift(known)).plus(setBy(known)));
  }

  private Duration since(Fix known) {
    return Duration.ofNanos(nanos.getAsLong() - known.counter());
  }

  private Duration drift(Fix known) {
    return since(known).dividedBy(LEAST_PER_DRIFT);
  }

  /** By how much the local clock has moved otherwise than the counter. */
  private Duration setBy(Fix known) {
    Duration moved = Duration.between(known.localTime(), local.instant());
    return moved.minus(since(known)).abs();
  }

  /** For people: whether this clock can be relied on, in numbers, and what to do if not. */
  public HealthState state() {
    Optional<Fix> known = fix;
    if (known.isEmpty()) {
      return HealthState.down(
          "not compared with the store's clock yet; until then nothing is armed, claimed or taken"
              + " over. It is tried every second: can MongoDB be reached?");
    }
    boolean isUp = isReliable();
    String numbers =
        String.format(
            Locale.ROOT,
            "may be off by %s, limit %s (CLOCK_LIMIT); compared %s ago, to within %s",
            seconds(possibleError().orElseThrow()),
            seconds(limit),
            seconds(since(known.get())),
            seconds(known.get().uncertainty()));
    if (isUp) {
      return HealthState.up(numbers + "; the local clock is corrected by " + seconds(offset()));
    }
    return HealthState.down(
        numbers
            + ", local clock set by %s since. Nothing is armed, claimed or taken over"
                .formatted(seconds(setBy(known.get())))
            + " before the next good comparison: is MongoDB quick to answer, was this host"
            + " suspended?");
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.3f s", duration.toNanos() / 1e9);
  }

  /**
   * The same clock for whoever must not go on without: tells no time that may be wrong by more than
   * the limit.
   *
   * @return throws {@link UnreliableClockException} instead
   */
  public InstantSource whileReliable() {
    return () -> {
      if (!isReliable()) {
        throw new UnreliableClockException(state().detail());
      }
      return instant();
    };
  }

  /**
   * Compares the clocks again. To be called from time to time. If the store cannot be asked, its
   * exception comes out and everything stays as it was.
   */
  public synchronized void refresh() {
    Fix best = ask();
    for (int i = 1; i < SAMPLES; i++) {
      Fix next = ask();
      if (next.uncertainty().compareTo(best.uncertainty()) < 0) {
        best = next;
      }
    }
    long counter = best.counter();
    Instant present = fix.map(known -> timeAt(known, counter)).orElse(best.localTime());
    Duration change = Duration.between(present, best.time()).abs();
    boolean stays = change.compareTo(best.uncertainty()) <= 0;
    fix =
        Optional.of(
            stays
                ? new Fix(counter, present, best.localTime(), best.uncertainty().plus(change))
                : best);
  }

  private Fix ask() {
    Instant localTime = local.instant(); // before the counter: rather behind than ahead
    long asked = nanos.getAsLong();
    Instant storeTime = store.get();
    long answered = nanos.getAsLong();
    Duration half = Duration.ofNanos((answered - asked) / 2);
    return new Fix(
        answered, storeTime.plus(half), localTime.plusNanos(answered - asked), half.plus(TICK));
  }
}
