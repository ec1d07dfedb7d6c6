package dev.carillon.schedule;

import java.time.LocalDate;
import java.time.Year;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;

/**
 * The days that satisfy a condition on nothing but the calendar. Two years that begin with the same
 * weekday, and are alike with their neighbours in being leap years or not, have the same days. So
 * the condition is asked once for each of the few kinds of years; after that a year without any day
 * costs one look, which keeps the rarest schedules fast. Thread-safe.
 */
final class CalendarDays {

  static final int LAST_YEAR = 9999;

  /** After so many years the calendar repeats itself, weekdays included. */
  static final int CYCLE = 400;

  static final int DAYS_OF_CYCLE = 146_097;

  private static final int WEEKDAYS = 7;
  private static final int LEAP_PATTERNS = 8;

  private final Predicate<LocalDate> condition;
  private final AtomicReferenceArray<BitSet> daysByKindOfYear =
      new AtomicReferenceArray<>(WEEKDAYS * LEAP_PATTERNS);

  CalendarDays(Predicate<LocalDate> condition) {
    this.condition = condition;
  }

  /** The first day that is not before the given one; empty when there is none up to year 9999. */
  Optional<LocalDate> ceiling(LocalDate from) {
    int dayOfYear = from.getDayOfYear();
    for (int year = from.getYear(); year <= LAST_YEAR; year++) {
      int found = daysOf(year).nextSetBit(dayOfYear);
      if (found >= 0) {
        return Optional.of(LocalDate.ofYearDay(year, found));
      }
      dayOfYear = 1;
    }
    return Optional.empty();
  }

  /**
   * The first of them from {@code from} on and before {@code end} that a further condition accepts.
   *
   * @param wait by how many days, counted from the epoch like its argument, the condition wants to
   *     go on from a day; 0 when it accepts the day
   */
  Optional<LocalDate> first(LocalDate from, LocalDate end, LongUnaryOperator wait) {
    int year = from.getYear();
    long newYear = LocalDate.ofYearDay(year, 1).toEpochDay();
    long day = from.toEpochDay();
    long endDay = end.toEpochDay();
    while (day < endDay && year <= LAST_YEAR) {
      int found = daysOf(year).nextSetBit((int) (day - newYear) + 1);
      if (found >= 0) {
        day = newYear + found - 1;
        long days = wait.applyAsLong(day);
        if (days == 0) {
          return day < endDay ? Optional.of(LocalDate.ofEpochDay(day)) : Optional.empty();
        }
        day += days;
      }
      long nextNewYear = newYear + (Year.isLeap(year) ? 366 : 365);
      if (found < 0 || day == nextNewYear) {
        year++;
        newYear = nextNewYear;
        day = nextNewYear;
      } else if (day > nextNewYear) {
        year = LocalDate.ofEpochDay(day).getYear();
        newYear = LocalDate.ofYearDay(year, 1).toEpochDay();
      }
    }
    return Optional.empty();
  }

  /** How many days there are from {@code from}, included, to {@code end}, excluded. */
  long count(LocalDate from, LocalDate end) {
    if (!from.isBefore(end)) {
      return 0;
    }
    long count = -countBefore(from) + countBefore(end);
    for (int year = from.getYear(); year < end.getYear(); year++) {
      count += daysOf(year).cardinality();
    }
    return count;
  }

  /** How many days of the same year come before. */
  private long countBefore(LocalDate date) {
    return daysOf(date.getYear()).get(0, date.getDayOfYear()).cardinality();
  }

  boolean contains(LocalDate date) {
    return daysOf(date.getYear()).get(date.getDayOfYear());
  }

  /** Whether no year at all has such a day. */
  boolean isEmpty() {
    for (int year = 2000; year < 2000 + CYCLE; year++) {
      if (!daysOf(year).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private BitSet daysOf(int year) {
    int kind = kindOf(year);
    BitSet days = daysByKindOfYear.get(kind);
    if (days == null) {
      days = new BitSet();
      LocalDate first = LocalDate.ofYearDay(year, 1);
      for (int i = 0; i < first.lengthOfYear(); i++) {
        days.set(i + 1, condition.test(first.plusDays(i)));
      }
      daysByKindOfYear.set(kind, days);
    }
    return days;
  }

  private static int kindOf(int year) {
    int leaps =
        (Year.isLeap(year - 1) ? 1 : 0)
            + (Year.isLeap(year) ? 2 : 0)
            + (Year.isLeap(year + 1) ? 4 : 0);
    return LocalDate.ofYearDay(year, 1).getDayOfWeek().getValue() % WEEKDAYS * LEAP_PATTERNS
        + leaps;
  }
}
