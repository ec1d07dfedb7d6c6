package dev.carillon.schedule;

import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

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

  /** {@code 1 hour 30 minutes}, {@code 1.5 seconds}. */
  static String duration(Duration duration) {
    List<String> parts = new ArrayList<>();
    addCount(parts, duration.toHours(), "hour");
    addCount(parts, duration.toMinutesPart(), "minute");
    if (duration.toMillisPart() == 0) {
      addCount(parts, duration.toSecondsPart(), "second");
    } else {
      BigDecimal seconds = BigDecimal.valueOf(duration.toMillis() % 60_000, 3);
      parts.add(seconds.stripTrailingZeros().toPlainString() + " seconds");
    }
    return parts.isEmpty() ? "0 seconds" : String.join(" ", parts);
  }

  private static void addCount(List<String> parts, long n, String unit) {
    if (n > 0) {
      parts.add(count(n, unit));
    }
  }

  /** {@code every minute}, {@code every 5 minutes}, {@code every 1 hour 30 minutes}. */
  static String every(Duration duration) {
    String text = duration(duration);
    boolean single = text.startsWith("1 ") && text.indexOf(' ', 2) < 0;
    return "every " + (single ? text.substring(2) : text);
  }

  /**
   * Numbers in ascending order, three and more in a row as a range: {@code 1, 3 to 6 and 8}.
   *
   * @param name how a number is called
   */
  static String ranges(List<Integer> numbers, IntFunction<String> name) {
    List<String> parts = new ArrayList<>();
    int begin = 0;
    while (begin < numbers.size()) {
      int end = begin;
      while (end + 1 < numbers.size() && numbers.get(end + 1) == numbers.get(end) + 1) {
        end++;
      }
      if (end - begin >= 2) {
        parts.add(name.apply(numbers.get(begin)) + " to " + name.apply(numbers.get(end)));
      } else {
        numbers.subList(begin, end + 1).forEach(number -> parts.add(name.apply(number)));
      }
      begin = end + 1;
    }
    return and(parts);
  }

  /** As {@link #ranges(List, IntFunction)}, of the bits that are set. */
  static String ranges(long bits, IntFunction<String> name) {
    return ranges(numbers(bits), name);
  }

  static List<Integer> numbers(long bits) {
    return BitSet.valueOf(new long[] {bits}).stream().boxed().toList();
  }

  static String capitalize(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
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

  /** Such as "an hour". */
  static String aOrAn(String noun) {
    boolean soundsLikeVowel = noun.startsWith("hour") || "aeiou".indexOf(noun.charAt(0)) >= 0;
    return (soundsLikeVowel ? "an " : "a ") + noun;
  }
}
