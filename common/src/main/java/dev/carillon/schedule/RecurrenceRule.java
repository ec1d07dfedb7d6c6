package dev.carillon.schedule;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * The parts of an RFC 5545 recurrence rule.
 *
 * @param interval every how many periods the rule applies, at least 1
 * @param count after how many occurrences it ends
 * @param until from the time zone to the last instant that may belong to the rule
 * @param numbers the values of the BY parts that were given, in ascending order
 * @param weekdays the values of BYDAY, empty when it was not given
 */
record RecurrenceRule(
    Frequency frequency,
    long interval,
    OptionalInt count,
    Optional<Function<ZoneId, Instant>> until,
    Map<ByPart, List<Integer>> numbers,
    List<Weekday> weekdays,
    DayOfWeek weekStart) {

  /** From the shortest period to the longest. */
  enum Frequency {
    SECONDLY("second", ChronoUnit.SECONDS),
    MINUTELY("minute", ChronoUnit.MINUTES),
    HOURLY("hour", ChronoUnit.HOURS),
    DAILY("day", ChronoUnit.DAYS),
    WEEKLY("week", ChronoUnit.WEEKS),
    MONTHLY("month", ChronoUnit.MONTHS),
    YEARLY("year", ChronoUnit.YEARS);

    final String label;
    final ChronoUnit unit;

    Frequency(String label, ChronoUnit unit) {
      this.label = label;
      this.unit = unit;
    }
  }

  /** The parts that are lists of numbers, all except BYDAY, with the range of the numbers. */
  enum ByPart {
    BYSECOND(0, 59, false),
    BYMINUTE(0, 59, false),
    BYHOUR(0, 23, false),
    BYMONTHDAY(1, 31, true),
    BYYEARDAY(1, 366, true),
    BYWEEKNO(1, 53, true),
    BYMONTH(1, 12, false),
    BYSETPOS(1, 366, true);

    final int min;
    final int max;

    /** Whether a minus means counting from the end. */
    final boolean signed;

    ByPart(int min, int max, boolean signed) {
      this.min = min;
      this.max = max;
      this.signed = signed;
    }
  }

  /** A day of the week; each of them when {@code n} is 0, else the nth, negative from the end. */
  record Weekday(DayOfWeek day, int n) {}

  boolean isSubDaily() {
    return frequency.compareTo(Frequency.DAILY) < 0;
  }

  /** Whether the rule is nothing but an interval of hours, minutes or seconds. */
  boolean isElapsedInterval() {
    return isSubDaily() && numbers.isEmpty() && weekdays.isEmpty();
  }

  /** How long one interval takes, where the frequency is shorter than a day. */
  Duration elapsedInterval() {
    return frequency.unit.getDuration().multipliedBy(interval);
  }

  boolean has(ByPart part) {
    return numbers.containsKey(part);
  }

  List<Integer> values(ByPart part) {
    return numbers.getOrDefault(part, List.of());
  }

  /** The values of a part as bits, or what is to stand for them when it was not given. */
  long bits(ByPart part, long otherwise) {
    return has(part)
        ? values(part).stream().mapToLong(value -> 1L << value).reduce(0, (a, b) -> a | b)
        : otherwise;
  }
}
