package dev.carillon.schedule;

import java.time.DayOfWeek;
import java.time.Month;
import java.util.ArrayList;
import java.util.List;

/** Says in plain English what a cron expression stands for. */
final class CronReading {

  private static final long EVERY_MONTH = 0b1_1111_1111_1110;

  private CronReading() {}

  static String of(CronExpression cron) {
    String times = TimesReading.of(cron.times());
    String days = days(cron);
    String months =
        cron.months() == EVERY_MONTH
            ? ""
            : " in " + English.ranges(cron.months(), month -> English.name(Month.of(month)));
    boolean saysEveryDay = days.isEmpty() && !cron.times().everyHour();
    return English.capitalize(times) + (saysEveryDay ? " every day" : days) + months;
  }

  private static String days(CronExpression cron) {
    List<String> either = new ArrayList<>();
    if (!cron.daysOfMonth().any()) {
      either.add("on " + English.and(daysOfMonth(cron.daysOfMonth())));
    }
    if (!cron.daysOfWeek().any()) {
      either.add("on " + English.and(daysOfWeek(cron.daysOfWeek())));
    }
    return either.isEmpty() ? "" : " " + String.join(" and also ", either);
  }

  private static List<String> daysOfMonth(CronDays days) {
    List<String> parts = new ArrayList<>();
    if (days.numbers() != 0) {
      parts.add("the " + English.ranges(days.numbers(), English::ordinal));
    }
    days.rules().forEach(rule -> parts.add(rule.reading()));
    return parts;
  }

  private static List<String> daysOfWeek(CronDays days) {
    List<String> parts = new ArrayList<>();
    if (days.numbers() != 0) {
      parts.add(English.ranges(mondayFirst(days.numbers()), CronReading::weekday));
    }
    days.rules().forEach(rule -> parts.add(rule.reading()));
    return parts;
  }

  private static String weekday(int day) {
    return English.name(DayOfWeek.of(day));
  }

  /** With bit 7 for Sunday in place of bit 0. */
  private static long mondayFirst(long numbers) {
    return (numbers & ~1L) | (numbers & 1L) << DayOfWeek.SUNDAY.getValue();
  }
}
