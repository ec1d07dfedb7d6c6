package dev.carillon.schedule;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The times on the wall clock that a cron expression stands for. The next one is found field by
 * field, days before times, never by trying one minute after the other.
 */
final class CronExpression implements LocalSeries {

  private final TimesOfDay times;
  private final CronDays daysOfMonth;
  private final long months;
  private final CronDays daysOfWeek;
  private final MonthEnd monthEnd;
  private final DatedTimes datedTimes;

  CronExpression(
      TimesOfDay times, CronDays daysOfMonth, long months, CronDays daysOfWeek, MonthEnd monthEnd) {
    this.times = times;
    this.daysOfMonth = daysOfMonth;
    this.months = months;
    this.daysOfWeek = daysOfWeek;
    this.monthEnd = monthEnd;
    this.datedTimes = new DatedTimes(new CalendarDays(this::isOnDay), times);
  }

  @Override
  public Optional<LocalDateTime> ceiling(LocalDateTime from) {
    return datedTimes.ceiling(from);
  }

  @Override
  public OptionalLong count(LocalDateTime from, LocalDateTime end) {
    return OptionalLong.of(datedTimes.count(from, end));
  }

  private boolean isOnDay(LocalDate date) {
    if (!isInMonths(YearMonth.from(date))) {
      return false;
    }
    if (daysOfMonth.any()) {
      return daysOfWeek.any() || daysOfWeek.matchesDayOfWeek(date);
    }
    return daysOfMonth.matchesDayOfMonth(date, monthEnd)
        || (!daysOfWeek.any() && daysOfWeek.matchesDayOfWeek(date));
  }

  private boolean isInMonths(YearMonth month) {
    return (months >>> month.getMonthValue() & 1) != 0;
  }

  /** Whether no day of any year matches, such as 30 February. */
  boolean neverFires() {
    return datedTimes.days().isEmpty();
  }

  /** Whether the hours are not restricted, so that the expression runs on elapsed time. */
  boolean firesEveryHour() {
    return times.everyHour();
  }

  @Override
  public String reading() {
    return CronReading.of(this);
  }

  @Override
  public List<String> remarks() {
    return shortMonths().remarks();
  }

  @Override
  public List<Absence> absences(LocalDateTime from, LocalDateTime until, int limit) {
    return shortMonths().absences(times.first(), from, until, limit);
  }

  private ShortMonths shortMonths() {
    List<DayRule> expected =
        Stream.concat(daysOfMonth.expected().stream(), daysOfWeek.expected().stream()).toList();
    return new ShortMonths(this::isInMonths, expected, monthEnd);
  }

  TimesOfDay times() {
    return times;
  }

  CronDays daysOfMonth() {
    return daysOfMonth;
  }

  long months() {
    return months;
  }

  CronDays daysOfWeek() {
    return daysOfWeek;
  }
}
