package dev.carillon.schedule;

import java.time.LocalDateTime;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Time <i>n</i> is start + <i>n</i> × period on the calendar, always reckoned from the start: after
 * 31 January and 28 February comes 31 March again.
 */
final class CalendarInterval implements LocalSeries {

  private static final int MONTHS_OF_YEAR = 12;
  private static final int DAYS_OF_WEEK = 7;

  private final LocalDateTime start;
  private final long months;
  private final long days;
  private final MonthEnd monthEnd;

  CalendarInterval(LocalDateTime start, Period period, MonthEnd monthEnd) {
    this.start = start;
    this.months = period.toTotalMonths();
    this.days = period.get(ChronoUnit.DAYS);
    this.monthEnd = monthEnd;
  }

  @Override
  public Optional<LocalDateTime> ceiling(LocalDateTime from) {
    long n = firstNotBefore(from);
    while (monthEnd == MonthEnd.SKIP && !exists(n)) {
      n++;
    }
    LocalDateTime time = time(n);
    return time.getYear() <= CalendarDays.LAST_YEAR ? Optional.of(time) : Optional.empty();
  }

  @Override
  public OptionalLong count(LocalDateTime from, LocalDateTime end) {
    boolean leavesSomeOut =
        monthEnd == MonthEnd.SKIP
            && months > 0
            && start.getDayOfMonth() >= DayRule.FIRST_DAY_NOT_IN_ALL_MONTHS;
    return leavesSomeOut
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(0, firstNotBefore(end) - firstNotBefore(from)));
  }

  @Override
  public String reading() {
    String time = " at " + start.toLocalTime();
    if (days == 0 && months % MONTHS_OF_YEAR == 0) {
      return English.capitalize(English.every(months / MONTHS_OF_YEAR, "year"))
          + " on "
          + start.getDayOfMonth()
          + " "
          + English.name(start.getMonth())
          + time;
    }
    if (days == 0) {
      return English.capitalize(English.every(months, "month"))
          + " on the "
          + English.ordinal(start.getDayOfMonth())
          + time;
    }
    if (months == 0 && days % DAYS_OF_WEEK == 0) {
      return English.capitalize(English.every(days / DAYS_OF_WEEK, "week"))
          + " on "
          + English.name(start.getDayOfWeek())
          + time;
    }
    return months == 0
        ? English.capitalize(English.every(days, "day")) + time
        : "Every " + English.count(months, "month") + " and " + English.count(days, "day") + time;
  }

  @Override
  public List<String> remarks() {
    if (months == 0 || start.getDayOfMonth() < DayRule.FIRST_DAY_NOT_IN_ALL_MONTHS) {
      return List.of();
    }
    return List.of(ShortMonths.remark(monthEnd));
  }

  @Override
  public List<Absence> absences(LocalDateTime from, LocalDateTime until, int limit) {
    List<Absence> absences = new ArrayList<>();
    if (monthEnd == MonthEnd.LAST || months == 0) {
      return absences;
    }
    for (long n = firstNotBefore(from); absences.size() < limit; n++) {
      LocalDateTime time = time(n);
      if (time.isAfter(until)) {
        break;
      }
      if (!exists(n)) {
        absences.add(new Absence(time, English.noSuchDay(start.getDayOfMonth())));
      }
    }
    return absences;
  }

  private LocalDateTime time(long n) {
    return start.plusMonths(n * months).plusDays(n * days);
  }

  /** Whether the month that is reached has the day of the month on which the start lies. */
  private boolean exists(long n) {
    return start.plusMonths(n * months).getDayOfMonth() == start.getDayOfMonth();
  }

  private long firstNotBefore(LocalDateTime from) {
    if (!start.isBefore(from)) {
      return 0;
    }
    long tooEarly = 0;
    long whole =
        months > 0
            ? ChronoUnit.MONTHS.between(start, from) / months
            : ChronoUnit.DAYS.between(start, from) / days;
    long lateEnough =
        whole + 2; // one more than it seems, since a month's end may cut a month short
    while (lateEnough - tooEarly > 1) {
      long middle = (tooEarly + lateEnough) / 2;
      if (time(middle).isBefore(from)) {
        tooEarly = middle;
      } else {
        lateEnough = middle;
      }
    }
    return lateEnough;
  }
}
