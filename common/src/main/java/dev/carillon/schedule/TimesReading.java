package dev.carillon.schedule;

import java.util.List;
import java.util.stream.IntStream;

/** Says times of the day in plain English, to follow "fires". */
final class TimesReading {

  private static final int MOST_TIMES = 6;
  private static final long ON_THE_MINUTE = 1;
  private static final int UNITS = 60;

  private final TimesOfDay times;

  private TimesReading(TimesOfDay times) {
    this.times = times;
  }

  static String of(TimesOfDay times) {
    return new TimesReading(times).reading();
  }

  private String reading() {
    if (times.size() <= MOST_TIMES) {
      return "at " + English.and(IntStream.range(0, times.size()).mapToObj(this::clock).toList());
    }
    if (times.seconds() == ON_THE_MINUTE) {
      return minutes();
    }
    String seconds = every(times.seconds(), "second");
    boolean everyMinute = times.minutes() == TimesOfDay.EVERY_MINUTE;
    return everyMinute && times.everyHour() ? seconds : seconds + " of " + ofMinutes();
  }

  private String clock(int rank) {
    return times.get(rank).toString();
  }

  /** Such as "minute 30 of every hour". */
  private String ofMinutes() {
    String hours =
        times.everyHour()
            ? "every hour"
            : (Long.bitCount(times.hours()) == 1 ? "hour " : "the hours ")
                + English.ranges(times.hours(), Integer::toString);
    if (times.minutes() == TimesOfDay.EVERY_MINUTE) {
      return "every minute of " + hours;
    }
    String label = Long.bitCount(times.minutes()) == 1 ? "minute " : "minutes ";
    return label + English.ranges(times.minutes(), Integer::toString) + " of " + hours;
  }

  private String minutes() {
    List<Integer> hours = English.numbers(times.hours());
    List<Integer> minutes = English.numbers(times.minutes());
    boolean hoursInARow = hours.get(hours.size() - 1) - hours.get(0) == hours.size() - 1;
    boolean once = minutes.size() == 1;
    if (once && times.everyHour()) {
      return minutes.get(0) == 0 ? "every hour" : "every hour at minute " + minutes.get(0);
    }
    if (times.everyHour()) {
      return every(times.minutes(), "minute");
    }
    if (hoursInARow && (once || isEvenRhythm(minutes))) {
      return (once ? "every hour" : every(times.minutes(), "minute"))
          + " from "
          + clock(0)
          + " to "
          + clock(times.size() - 1);
    }
    return "at " + ofMinutes();
  }

  /** Such as "every 5 minutes", where that is what it comes to, else "at minutes 1, 2 and 30". */
  private static String every(long bits, String unit) {
    List<Integer> numbers = English.numbers(bits);
    if (isEvenRhythm(numbers)) {
      return English.every(UNITS / numbers.size(), unit);
    }
    return "at "
        + unit
        + (numbers.size() == 1 ? " " : "s ")
        + English.ranges(numbers, Integer::toString);
  }

  /** Whether the numbers go round the clock in equal steps, beginning with 0. */
  private static boolean isEvenRhythm(List<Integer> numbers) {
    int step = UNITS / numbers.size();
    return UNITS % numbers.size() == 0
        && IntStream.range(0, numbers.size()).allMatch(i -> numbers.get(i) == i * step);
  }
}
