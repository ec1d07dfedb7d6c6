package dev.carillon.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.List;

/**
 * One of the two day fields of a cron expression.
 *
 * @param any whether the field is {@code *} or {@code ?}, so that the other one decides alone
 * @param numbers the days that are named by number or in a range, as bits: of the month, or of the
 *     week with 0 for Sunday
 * @param rules what is not a plain number, such as {@code L} and {@code FRI#5}
 * @param expected what one expects in each month: the rules, and the days of the month from the
 *     29th on that are named singly
 */
record CronDays(boolean any, long numbers, List<DayRule> rules, List<DayRule> expected) {

  boolean matchesDayOfMonth(LocalDate date, MonthEnd monthEnd) {
    int day = date.getDayOfMonth();
    long accepted = numbers & (1L << day);
    if (monthEnd == MonthEnd.LAST && day == date.lengthOfMonth()) {
      accepted = numbers & (-1L << day);
    }
    return accepted != 0 || matchesRule(date);
  }

  boolean matchesDayOfWeek(LocalDate date) {
    return (numbers >>> bit(date.getDayOfWeek()) & 1) != 0 || matchesRule(date);
  }

  private boolean matchesRule(LocalDate date) {
    return rules.stream().anyMatch(rule -> rule.matches(date));
  }

  /** Sunday is 0. */
  static int bit(DayOfWeek day) {
    return day.getValue() % DayOfWeek.SUNDAY.getValue();
  }
}
