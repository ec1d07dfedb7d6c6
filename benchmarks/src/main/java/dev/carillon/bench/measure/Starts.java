package dev.carillon.bench.measure;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.HdrHistogram.Histogram;

/** The starts of no-op jobs that have been seen, by the measurement they belong to. Thread-safe. */
public final class Starts {

  private static final int DIGITS = 3;

  private final Map<String, Batch> batches = new ConcurrentHashMap<>();

  /**
   * The starts of one measurement.
   *
   * @param count all starts
   * @param distinct jobs that have started
   * @param early starts before they were due
   * @param first the earliest start, in milliseconds since the epoch
   * @param last the latest start
   * @param lateness in milliseconds, of the starts that were not early
   */
  public record Summary(
      long count, long distinct, long early, long first, long last, Histogram lateness) {

    public long doubled() {
      return count - distinct;
    }

    /** Lateness of the given share of the starts, in milliseconds. */
    public double lateness(double percentile) {
      return lateness.getValueAtPercentile(percentile);
    }

    /** Starts a second, from the first to the last; the first counts for nothing. */
    public double throughput() {
      return (distinct - 1) * 1000.0 / Math.max(1, last - first);
    }
  }

  private static final class Batch {
    private final Set<String> keys = new HashSet<>();
    private final Histogram lateness = new Histogram(DIGITS);
    private long count;
    private long early;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;

    private synchronized void add(StartLine start) {
      count++;
      keys.add(start.key());
      first = Math.min(first, start.at());
      last = Math.max(last, start.at());
      if (start.at() < start.dueAt()) {
        early++;
      } else {
        lateness.recordValue(start.at() - start.dueAt());
      }
    }

    private synchronized Summary summary() {
      return new Summary(count, keys.size(), early, first, last, lateness.copy());
    }

    private synchronized long distinct() {
      return keys.size();
    }

    private synchronized long count() {
      return count;
    }
  }

  public void add(StartLine start) {
    batches.computeIfAbsent(start.batch(), name -> new Batch()).add(start);
  }

  /** How many jobs of a measurement have started. */
  public long distinct(String batch) {
    return Optional.ofNullable(batches.get(batch)).map(Batch::distinct).orElse(0L);
  }

  /** How often jobs of a measurement have started. */
  public long count(String batch) {
    return Optional.ofNullable(batches.get(batch)).map(Batch::count).orElse(0L);
  }

  /** Empty if nothing has started. */
  public Optional<Summary> summary(String batch) {
    return Optional.ofNullable(batches.get(batch)).map(Batch::summary);
  }
}
