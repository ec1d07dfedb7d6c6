package dev.carillon.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * When a task fires. An immutable value and thread-safe; every method is a pure function of its
 * arguments. All instants are whole milliseconds, none is later than the end of the year 9999. Two
 * schedules are equal when they fire alike: when their {@linkplain #toUserForm() forms} are equal.
 */
public sealed interface Schedule permits DefinedSchedule {

  /**
   * The first instant strictly after the given one; empty when there is none left. Window,
   * exclusions and daylight-saving rules are applied; {@link #maxRuns()} is not, since only the
   * caller knows how many runs there have been.
   */
  Optional<Instant> next(Instant after);

  /**
   * How many instants lie strictly after the given one, {@link #maxRuns()} not applied. Empty when
   * there is no end, and when there are more than can be counted quickly: intervals, cron and plain
   * recurrence rules are computed however many there are; recurrence rules with BYSETPOS, with an
   * INTERVAL beside other parts, or of hours and less with other parts are counted one by one up to
   * {@value Occurrences#COUNTABLE}.
   */
  OptionalLong remaining(Instant after);

  /** The last instant strictly before the given one; empty when there is none. */
  Optional<Instant> previous(Instant before);

  /**
   * How many instants are later than {@code after} and not later than {@code until}; empty when
   * they are more than can be counted quickly, as for {@link #remaining}.
   */
  OptionalLong count(Instant after, Instant until);

  /**
   * Whether nothing more is to come because an end has passed. A single instant is no end of its
   * own: once it has passed, it has been missed.
   */
  boolean hasEnded(Instant now);

  /**
   * Whether the start was reckoned from the moment of creation, because nobody had asked for one.
   * Another interval or rule then begins at a start of its own.
   */
  boolean startIsDefault();

  /** Upper limit of runs, at least 1; empty when there is none. */
  OptionalLong maxRuns();

  /**
   * How much later than due a firing is to start: a whole number of milliseconds from zero to the
   * jitter, both included, that depends on nothing but the jitter and the key. Zero when the
   * schedule has no jitter.
   *
   * @param key what names the firing, for example {@code taskId_index}
   */
  Duration jitterFor(String key);

  /** The longest that {@link #jitterFor} can give. */
  Duration longestJitter();

  /**
   * The fields as a user would write them, with everything relative to the moment of creation
   * resolved. {@link ScheduleReader#readStored} makes an equal schedule of them. The values are
   * strings, integers, longs, booleans, lists and maps; the map is unmodifiable.
   */
  Map<String, Object> toForm();

  /** The form without what only {@link ScheduleReader#readStored} knows. */
  Map<String, Object> toUserForm();
}
