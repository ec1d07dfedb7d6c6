package dev.carillon.schedule;

import java.time.DayOfWeek;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.List;
import java.util.Locale;

/** Words and phrases of the plain-English texts. */
final class English {

  private English() {}

  /** 1st, 2nd, 3rd, 4th … */
  static String ordinal(int n) {
    boolean teen = n % 100 >= 11 && n % 100 <= 13;
    String suffix =
        switch (teen ? 0 : n % 10) {
          case 1 -> "st";
          case 2 -> "nd";
          case 3 -> "rd";
          default -> "th";
        };
    return n + suffix;
  }

  /** first, second … fifth; beyond, in figures. */
  static String ordinalWord(int n) {
    List<String> words = List.of("first", "second", "third", "fourth", "fifth");
    return n <= words.size() ? words.get(n - 1) : ordinal(n);
  }

  /** {@code a}, {@code a and b}, {@code a, b and c}. */
  static String and(List<String> parts) {
    return list(parts, " and ");
  }

  /** {@code a}, {@code a or b}, {@code a, b or c}. */
  static String or(List<String> parts) {
    return list(parts, " or ");
  }

  private static String list(List<String> parts, String conjunction) {
    int last = parts.size() - 1;
    return last < 1
        ? String.join("", parts)
        : String.join(", ", parts.subList(0, last)) + conjunction + parts.get(last);
  }

  /** {@code every day}, {@code every 2 days}. */
  static String every(long n, String unit) {
    return n == 1 ? "every " + unit : "every " + n + " " + unit + "s";
  }

  /** {@code 1 day}, {@code 2 days}. */
  static String count(long n, String unit) {
    return n + " " + unit + (n == 1 ? "" : "s");
  }

  static String name(DayOfWeek day) {
    return day.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
  }

  static String name(Month month) {
    return month.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
  }

  static String noSuchDay(int dayOfMonth) {
    return "no " + ordinal(dayOfMonth) + " in this month";
  }
}
