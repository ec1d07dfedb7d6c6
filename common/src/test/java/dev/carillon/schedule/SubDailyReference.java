package dev.carillon.schedule;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What RFC 5545 says about rules of hours, minutes and seconds, word by word: every second is held
 * against every part. Slow, and without anything in common with what it checks.
 */
final class SubDailyReference {

  private static final List<String> WEEKDAYS = List.of("MO", "TU", "WE", "TH", "FR", "SA", "SU");

  private static final long SECONDS_OF_DAY = 24 * 3600;

  /** By how much the clocks are changed at most in the zones of the tests. */
  private static final long LONGEST_CHANGE = 2 * 3600;

  private final Map<String, String> parts = new LinkedHashMap<>();
  private final Map<String, List<Integer>> numbers = new HashMap<>();
  private final Instant start;
  private final ZoneId zone;

  /** How many seconds a period of the rule has. */
  private final long unit;

  SubDailyReference(String rule, Instant start, ZoneId zone) {
    for (String part : rule.split(";", -1)) {
      parts.put(part.substring(0, part.indexOf('=')), part.substring(part.indexOf('=') + 1));
    }
    this.start = start;
    this.zone = zone;
    this.unit =
        switch (parts.get("FREQ")) {
          case "SECONDLY" -> 1;
          case "MINUTELY" -> 60;
          default -> 3600;
        };
  }

  /**
   * What there is later than {@code after}, at most so many. So many days at most are looked
   * through; those that cannot have anything cost nothing and do not count.
   */
  Found list(Instant after, int days, int most) {
    List<Instant> found = new ArrayList<>();
    Instant at = after.isBefore(start) ? start : after.plusSeconds(1);
    Instant end = after.plusSeconds(SECONDS_OF_DAY * 400);
    long left = days * SECONDS_OF_DAY;
    while (at.isBefore(end) && left > 0 && found.size() < most) {
      LocalDateTime local = LocalDateTime.ofInstant(at, zone);
      if (isOnDay(local.toLocalDate())) {
        left--;
        if (fires(at, local)) {
          found.add(at);
        }
        at = at.plusSeconds(1);
      } else {
        long rest = SECONDS_OF_DAY - local.toLocalTime().toSecondOfDay();
        at = at.plusSeconds(Math.max(1, rest - LONGEST_CHANGE));
      }
    }
    return new Found(found, at.minusSeconds(1));
  }

  /**
   * What was found.
   *
   * @param until there is no more up to then
   */
  record Found(List<Instant> instants, Instant until) {}

  private boolean fires(Instant at, LocalDateTime local) {
    return isInPeriod(at) && isAtTime(at, local) && isAtPosition(at, local);
  }

  /** Periods are counted on the clock as it stands at the instant, also back to the start. */
  private boolean isInPeriod(Instant at) {
    return periodOf(at, at) % Long.parseLong(parts.getOrDefault("INTERVAL", "1")) == 0;
  }

  private long periodOf(Instant clock, Instant at) {
    long offset = zone.getRules().getOffset(clock).getTotalSeconds();
    return Math.floorDiv(at.getEpochSecond() + offset, unit)
        - Math.floorDiv(start.getEpochSecond() + offset, unit);
  }

  /** Without a part of its own, what is shorter than a period is as it is in the start. */
  private boolean isAtTime(Instant at, LocalDateTime local) {
    ZoneOffset offset = zone.getRules().getOffset(at);
    LocalDateTime begin = LocalDateTime.ofInstant(start, offset);
    return has("BYHOUR", local.getHour(), local.getHour())
        && has("BYMINUTE", local.getMinute(), unit == 3600 ? begin.getMinute() : local.getMinute())
        && has("BYSECOND", local.getSecond(), unit > 1 ? begin.getSecond() : local.getSecond());
  }

  private boolean has(String part, int value, int otherwise) {
    return parts.containsKey(part) ? numbers(part).contains(value) : value == otherwise;
  }

  private List<Integer> numbers(String part) {
    return numbers.computeIfAbsent(
        part, name -> Arrays.stream(parts.get(name).split(",", -1)).map(Integer::valueOf).toList());
  }

  private boolean isAtPosition(Instant at, LocalDateTime local) {
    if (!parts.containsKey("BYSETPOS")) {
      return true;
    }
    List<LocalDateTime> all = new ArrayList<>();
    LocalDateTime begin = local.minusSeconds(local.toLocalTime().toSecondOfDay() % unit);
    for (long second = 0; second < unit; second++) {
      if (isAtTime(at, begin.plusSeconds(second))) {
        all.add(begin.plusSeconds(second));
      }
    }
    return numbers("BYSETPOS").stream()
        .map(position -> position > 0 ? position - 1 : all.size() + position)
        .filter(rank -> rank >= 0 && rank < all.size())
        .anyMatch(rank -> all.get(rank).equals(local));
  }

  private boolean isOnDay(LocalDate day) {
    return (!parts.containsKey("BYMONTH") || numbers("BYMONTH").contains(day.getMonthValue()))
        && fromEitherEnd("BYMONTHDAY", day.getDayOfMonth(), YearMonth.from(day).lengthOfMonth())
        && fromEitherEnd("BYYEARDAY", day.getDayOfYear(), day.lengthOfYear())
        && (!parts.containsKey("BYDAY")
            || Arrays.stream(parts.get("BYDAY").split(",", -1))
                .anyMatch(name -> DayOfWeek.of(WEEKDAYS.indexOf(name) + 1) == day.getDayOfWeek()));
  }

  private boolean fromEitherEnd(String part, int number, int length) {
    return !parts.containsKey(part)
        || numbers(part).contains(number)
        || numbers(part).contains(number - length - 1);
  }
}
