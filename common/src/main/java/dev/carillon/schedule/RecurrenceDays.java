package dev.carillon.schedule;

import dev.carillon.schedule.RecurrenceRule.ByPart;
import dev.carillon.schedule.RecurrenceRule.Frequency;
import dev.carillon.schedule.RecurrenceRule.Weekday;
import java.time.LocalDate;
import java.time.temporal.TemporalField;
import java.time.temporal.WeekFields;
import java.util.List;
import java.util.function.Predicate;

/**
 * The days on which a recurrence rule may have occurrences, were its interval 1. RFC 5545 speaks of
 * parts that expand and parts that limit; for the days it comes to the same: every part that is
 * given must agree, and what none of them says is as on the start's day.
 */
final class RecurrenceDays implements Predicate<LocalDate> {

  static final long EVERY_MONTH = -1;

  private final RecurrenceRule rule;
  private final MonthEnd monthEnd;
  private final TemporalField weekNumber;
  private final long months;
  private final List<Integer> monthDays;
  private final List<Weekday> weekdays;

  RecurrenceDays(RecurrenceRule rule, LocalDate start, MonthEnd monthEnd) {
    this.rule = rule;
    this.monthEnd = monthEnd;
    this.weekNumber = WeekFields.of(rule.weekStart(), 4).weekOfWeekBasedYear();
    Frequency frequency = rule.frequency();
    boolean dayIsOpen =
        rule.weekdays().isEmpty() && !rule.has(ByPart.BYMONTHDAY) && !rule.has(ByPart.BYYEARDAY);
    boolean weekIsGiven = frequency == Frequency.WEEKLY || rule.has(ByPart.BYWEEKNO);
    boolean takesDayFromStart = dayIsOpen && frequency.compareTo(Frequency.WEEKLY) >= 0;
    this.monthDays =
        takesDayFromStart && !weekIsGiven
            ? List.of(start.getDayOfMonth())
            : rule.values(ByPart.BYMONTHDAY);
    this.weekdays =
        takesDayFromStart && weekIsGiven
            ? List.of(new Weekday(start.getDayOfWeek(), 0))
            : rule.weekdays();
    boolean takesMonthFromStart =
        takesDayFromStart && !weekIsGiven && frequency == Frequency.YEARLY;
    this.months =
        rule.bits(ByPart.BYMONTH, takesMonthFromStart ? 1L << start.getMonthValue() : EVERY_MONTH);
  }

  @Override
  public boolean test(LocalDate date) {
    return isInMonth(date.getMonthValue())
        && (monthDays.isEmpty() || isOnMonthDay(date))
        && (weekdays.isEmpty() || weekdays.stream().anyMatch(weekday -> isOn(weekday, date)))
        && (!rule.has(ByPart.BYYEARDAY) || isOnYearDay(date))
        && (!rule.has(ByPart.BYWEEKNO) || isInWeek(date));
  }

  boolean isInMonth(int month) {
    return (months >>> month & 1) != 0;
  }

  /** As bits; {@link #EVERY_MONTH} when they are not restricted. */
  long months() {
    return months;
  }

  List<Integer> monthDays() {
    return monthDays;
  }

  List<Weekday> weekdays() {
    return weekdays;
  }

  private boolean isOnMonthDay(LocalDate date) {
    int day = date.getDayOfMonth();
    int length = date.lengthOfMonth();
    boolean standsInForLater =
        monthEnd == MonthEnd.LAST && day == length && monthDays.get(monthDays.size() - 1) > length;
    return standsInForLater || monthDays.contains(day) || monthDays.contains(day - length - 1);
  }

  private boolean isOnYearDay(LocalDate date) {
    List<Integer> yearDays = rule.values(ByPart.BYYEARDAY);
    int day = date.getDayOfYear();
    return yearDays.contains(day) || yearDays.contains(day - date.lengthOfYear() - 1);
  }

  private boolean isInWeek(LocalDate date) {
    List<Integer> weeks = rule.values(ByPart.BYWEEKNO);
    int week = date.get(weekNumber);
    int weeksOfYear = (int) date.range(weekNumber).getMaximum();
    return weeks.contains(week) || weeks.contains(week - weeksOfYear - 1);
  }

  private boolean isOn(Weekday weekday, LocalDate date) {
    if (date.getDayOfWeek() != weekday.day()) {
      return false;
    }
    return weekday.n() == 0
        || (isWithinMonth()
            ? isNth(weekday.n(), date.getDayOfMonth(), date.lengthOfMonth())
            : isNth(weekday.n(), date.getDayOfYear(), date.lengthOfYear()));
  }

  /** Whether the nth weekday is that of the month and not that of the year. */
  boolean isWithinMonth() {
    return rule.frequency() == Frequency.MONTHLY || rule.has(ByPart.BYMONTH);
  }

  private static boolean isNth(int n, int day, int length) {
    return n > 0 ? (day - 1) / 7 + 1 == n : (length - day) / 7 + 1 == -n;
  }
}
