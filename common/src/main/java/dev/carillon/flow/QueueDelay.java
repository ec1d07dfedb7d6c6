package dev.carillon.flow;

import dev.carillon.queue.Notice;
import dev.carillon.task.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/**
 * How long notices have lately waited for a worker that has time for them. That tells a busy system
 * from a broken one: while those that come have been due for ten seconds, one that has been due for
 * nine need not be lost. Thread-safe.
 */
public final class QueueDelay {

  /** A delay counts for so long at least, and for twice that at most. */
  static final Duration MEMORY = Duration.ofSeconds(5);

  /** The longest delay that was met from some time on, and in the time before that. */
  private record Met(Instant since, Duration now, Duration before) {
    private static final Met NOTHING = new Met(Instant.EPOCH, Duration.ZERO, Duration.ZERO);

    Met at(Instant time) {
      Duration age = Duration.between(since, time);
      // threads look at the clock and come here in any order; but it may have been set back as well
      boolean isSetBack = age.negated().compareTo(MEMORY) > 0;
      if (isSetBack || age.compareTo(MEMORY.multipliedBy(2)) >= 0) {
        return new Met(time, Duration.ZERO, Duration.ZERO);
      }
      return age.compareTo(MEMORY) < 0 ? this : new Met(since.plus(MEMORY), Duration.ZERO, now);
    }

    Met with(Duration delay) {
      return delay.compareTo(now) > 0 ? new Met(since, delay, before) : this;
    }

    Duration longest() {
      return now.compareTo(before) > 0 ? now : before;
    }
  }

  private final Map<Priority, Met> met = new EnumMap<>(Priority.class);

  /**
   * A notice is being fired that was delivered for the first time: one that comes again has waited
   * for something else as well.
   */
  synchronized void fired(Notice notice, Instant now) {
    met.put(notice.priority(), metBy(notice.priority(), now).with(waited(notice, now)));
  }

  private Met metBy(Priority priority, Instant now) {
    return met.getOrDefault(priority, Met.NOTHING).at(now);
  }

  /** The longest that notices of this priority have waited lately; zero when none have come. */
  synchronized Duration of(Priority priority, Instant now) {
    return metBy(priority, now).longest();
  }

  /** For how long a notice can have been in its work queue. */
  static Duration waited(Notice notice, Instant now) {
    Instant from = notice.parkedAt().isAfter(notice.runAt()) ? notice.parkedAt() : notice.runAt();
    return from.isBefore(now) ? Duration.between(from, now) : Duration.ZERO;
  }
}
