package dev.carillon.schedule;

import dev.carillon.schedule.RecurrenceRule.ByPart;
import dev.carillon.schedule.RecurrenceRule.Weekday;
import java.time.DayOfWeek;
import java.time.Month;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;

/** Says in plain English what a recurrence rule stands for. */
final class RecurrenceReading {

  private final RecurrenceRule rule;
  private final RecurrenceDays days;

  private RecurrenceReading(RecurrenceRule rule, RecurrenceDays days) {
    this.rule = rule;
    this.days = days;
  }

  /**
   * @param times in words, when in its days the rule fires
   */
  static String of(RecurrenceRule rule, RecurrenceDays days, String times) {
    return new RecurrenceReading(rule, days).reading(times);
  }

  /** The hours, minutes and seconds of a rule whose periods are shorter than a day. */
  static String timesOf(RecurrenceRule rule) {
    List<String> parts = new ArrayList<>();
    addNumbers(parts, rule, ByPart.BYSECOND, "at second ");
    addNumbers(parts, rule, ByPart.BYMINUTE, "at minute ");
    addNumbers(parts, rule, ByPart.BYHOUR, "in hour ");
    return String.join(" ", parts);
  }

  private static void addNumbers(
      List<String> parts, RecurrenceRule rule, ByPart part, String prefix) {
    if (rule.has(part)) {
      parts.add(prefix + English.ranges(rule.values(part), Integer::toString));
    }
  }

  private String reading(String times) {
    List<String> parts = new ArrayList<>();
    parts.add(English.capitalize(English.every(rule.interval(), rule.frequency().label)));
    if (!days.weekdays().isEmpty()) {
      parts.add("on " + weekdays());
    }
    if (!days.monthDays().isEmpty()) {
      parts.add("on the " + each(days.monthDays(), RecurrenceReading::monthDay));
    }
    if (rule.has(ByPart.BYYEARDAY)) {
      parts.add(
          "on day "
              + each(rule.values(ByPart.BYYEARDAY), RecurrenceReading::place)
              + " of the year");
    }
    if (rule.has(ByPart.BYWEEKNO)) {
      parts.add("in week " + each(rule.values(ByPart.BYWEEKNO), RecurrenceReading::place));
    }
    if (days.months() != RecurrenceDays.EVERY_MONTH) {
      parts.add("in " + English.ranges(days.months(), month -> English.name(Month.of(month))));
    }
    parts.add(times);
    if (rule.has(ByPart.BYSETPOS)) {
      parts.add(
          "(of these only the " + each(rule.values(ByPart.BYSETPOS), RecurrenceReading::nth) + ")");
    }
    parts.removeIf(String::isEmpty);
    return String.join(" ", parts);
  }

  private static String each(List<Integer> numbers, IntFunction<String> name) {
    return English.and(
        numbers.stream()
            .sorted(Comparator.comparing((Integer number) -> number < 0))
            .map(name::apply)
            .toList());
  }

  private String weekdays() {
    List<Weekday> weekdays = days.weekdays();
    return weekdays.stream().allMatch(weekday -> weekday.n() == 0)
        ? English.ranges(
            weekdays.stream().map(weekday -> weekday.day().getValue()).sorted().toList(),
            day -> English.name(DayOfWeek.of(day)))
        : English.and(weekdays.stream().map(this::weekday).toList());
  }

  private String weekday(Weekday weekday) {
    if (weekday.n() == 0) {
      return English.name(weekday.day());
    }
    String of = days.isWithinMonth() ? " of the month" : " of the year";
    return "the " + nth(weekday.n()) + " " + English.name(weekday.day()) + of;
  }

  private static String monthDay(int day) {
    return day > 0 ? English.ordinal(day) : nth(day) + " day of the month";
  }

  private static String place(int n) {
    return n > 0 ? String.valueOf(n) : -n + " from the end";
  }

  /** First, second, last, second to last. */
  private static String nth(int n) {
    if (n > 0) {
      return English.ordinalWord(n);
    }
    return n == -1 ? "last" : English.ordinalWord(-n) + " to last";
  }
}
