package dev.carillon.schedule;

import dev.carillon.schedule.RecurrenceRule.ByPart;
import dev.carillon.schedule.RecurrenceRule.Frequency;
import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The local times of a recurrence rule whose periods are hours, minutes or seconds, on a clock that
 * is never changed. It goes from one time that the BY parts allow, or one period that the interval
 * allows, to the next, whichever is later.
 */
final class SubDailyRecurrence implements LocalSeries {

  private static final long SECONDS_PER_DAY = 86_400;
  private static final long SECONDS_PER_WEEK = 7 * SECONDS_PER_DAY;

  private final RecurrenceRule rule;
  private final RecurrenceDays condition;

  /** What the BY parts allow, whatever the interval. */
  private final DatedTimes allowed;

  private final LocalDateTime start;
  private final TimesOfDay times;
  private final ChronoUnit unit;

  /** The beginning of the period in which the start lies. */
  private final LocalDateTime firstPeriod;

  /** Whether interval and BY parts agree at all; asked first, since to search would take long. */
  private final boolean possible;

  SubDailyRecurrence(RecurrenceRule rule, LocalDateTime start, MonthEnd monthEnd) {
    this(rule, start, new RecurrenceDays(rule, start.toLocalDate(), monthEnd));
  }

  private SubDailyRecurrence(RecurrenceRule rule, LocalDateTime start, RecurrenceDays condition) {
    this.rule = rule;
    this.condition = condition;

    this.start = start;
    Frequency frequency = rule.frequency();
    this.times =
        new TimesOfDay(
            rule.bits(ByPart.BYHOUR, TimesOfDay.EVERY_HOUR),
            rule.bits(
                ByPart.BYMINUTE,
                frequency == Frequency.HOURLY ? 1L << start.getMinute() : TimesOfDay.EVERY_MINUTE),
            rule.bits(
                ByPart.BYSECOND,
                frequency == Frequency.SECONDLY
                    ? TimesOfDay.EVERY_SECOND
                    : 1L << start.getSecond()));
    this.allowed = new DatedTimes(new CalendarDays(condition), times);
    this.unit = frequency.unit;
    this.firstPeriod = start.truncatedTo(unit);
    this.possible = intervalEverMeetsTimes() && positionExists();
  }

  /** The same rule on a clock on which the start is shown as another time. */
  SubDailyRecurrence startingAt(LocalDateTime otherStart) {
    return otherStart.equals(start) ? this : new SubDailyRecurrence(rule, otherStart, condition);
  }

  /**
   * Whether the interval, repeated for ever, comes by one of the times of the week that are asked
   * for: from 10:00 every 60 minutes never leads to minute 30.
   */
  private boolean intervalEverMeetsTimes() {
    long seconds = unit.getDuration().toSeconds();
    long rhythm = greatestCommonDivisor(rule.interval() * seconds, SECONDS_PER_WEEK);
    if (rhythm <= seconds) {
      return true;
    }
    long phase = secondOfWeek(firstPeriod.getDayOfWeek(), firstPeriod.toLocalTime());
    return weekdays()
        .anyMatch(
            day ->
                IntStream.range(0, times.size())
                    .mapToLong(rank -> secondOfWeek(day, times.get(rank)) - phase)
                    .anyMatch(distance -> Math.floorMod(distance, rhythm) < seconds));
  }

  private Stream<DayOfWeek> weekdays() {
    return rule.weekdays().isEmpty()
        ? Arrays.stream(DayOfWeek.values())
        : rule.weekdays().stream().map(RecurrenceRule.Weekday::day);
  }

  private static long secondOfWeek(DayOfWeek day, LocalTime time) {
    return day.getValue() * SECONDS_PER_DAY + time.toSecondOfDay();
  }

  private static long greatestCommonDivisor(long a, long b) {
    return b == 0 ? a : greatestCommonDivisor(b, a % b);
  }

  /** Whether BYSETPOS, if it was given, names a place that a period can have. */
  private boolean positionExists() {
    int perMinute = Long.bitCount(times.seconds());
    int size =
        switch (unit) {
          case HOURS -> Long.bitCount(times.minutes()) * perMinute;
          case MINUTES -> perMinute;
          default -> 1;
        };
    return !rule.has(ByPart.BYSETPOS)
        || rule.values(ByPart.BYSETPOS).stream().anyMatch(position -> Math.abs(position) <= size);
  }

  @Override
  public Optional<LocalDateTime> ceiling(LocalDateTime from) {
    return ceiling(from, LocalDateTime.MAX);
  }

  /** The first time that is not before {@code from}, if it is before {@code end}. */
  Optional<LocalDateTime> ceiling(LocalDateTime from, LocalDateTime end) {
    Optional<LocalDateTime> candidate =
        possible ? allowed.ceiling(from.isBefore(start) ? start : from) : Optional.empty();
    while (candidate.isPresent() && candidate.get().isBefore(end)) {
      long period = unit.between(firstPeriod, candidate.get());
      long late = period % rule.interval();
      if (late == 0) {
        Optional<LocalDateTime> found =
            rule.has(ByPart.BYSETPOS) ? firstSelected(period, candidate.get()) : candidate;
        if (found.isPresent()) {
          return found.filter(time -> time.isBefore(end));
        }
      }
      candidate = allowed.ceiling(beginningOf(period - late + rule.interval()));
    }
    return Optional.empty();
  }

  /** The first time from {@code from} on that BYSETPOS selects from all those of a period. */
  private Optional<LocalDateTime> firstSelected(long period, LocalDateTime from) {
    List<LocalDateTime> all = new ArrayList<>();
    LocalDateTime end = beginningOf(period + 1);
    Optional<LocalDateTime> time = allowed.ceiling(beginningOf(period));
    while (time.isPresent() && time.get().isBefore(end)) {
      all.add(time.get());
      time = allowed.ceiling(time.get().plusSeconds(1));
    }
    return rule.values(ByPart.BYSETPOS).stream()
        .map(position -> position > 0 ? position - 1 : all.size() + position)
        .filter(rank -> rank >= 0 && rank < all.size())
        .map(all::get)
        .filter(selected -> !selected.isBefore(from))
        .min(LocalDateTime::compareTo);
  }

  private LocalDateTime beginningOf(long period) {
    return firstPeriod.plus(period, unit);
  }

  boolean firesEveryHour() {
    return times.everyHour();
  }

  @Override
  public String reading() {
    return RecurrenceReading.of(rule, condition, RecurrenceReading.timesOf(rule));
  }

  @Override
  public List<String> remarks() {
    return List.of();
  }

  @Override
  public List<Absence> absences(LocalDateTime from, LocalDateTime until, int limit) {
    return List.of();
  }
}
