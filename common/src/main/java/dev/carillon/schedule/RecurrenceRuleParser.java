package dev.carillon.schedule;

import dev.carillon.schedule.RecurrenceRule.ByPart;
import dev.carillon.schedule.RecurrenceRule.Frequency;
import dev.carillon.schedule.RecurrenceRule.Weekday;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads recurrence rules as RFC 5545 writes them. Errors name the part and what it accepts. */
final class RecurrenceRuleParser {

  /** More would take too long to count through; a longer series can be bounded by maxRuns. */
  static final int MAX_COUNT = 10_000;

  /** The same for rules of hours and less with other parts, where each instant takes longer. */
  static final int MAX_SUB_DAILY_COUNT = 2_000;

  /** What earlier versions accepted. */
  static final int MAX_STORED_COUNT = 100_000;

  private static final int MAX_LENGTH = 2_000;
  private static final String PREFIX = "RRULE:";
  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]{1,10}");
  private static final Pattern WEEKDAY = Pattern.compile("([+-]?[0-9]{1,2})?([A-Z]{2})");
  private static final List<String> DAY_NAMES = List.of("MO", "TU", "WE", "TH", "FR", "SA", "SU");
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("uuuuMMdd", Locale.ROOT).withResolverStyle(ResolverStyle.STRICT);
  private static final DateTimeFormatter DATE_TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss", Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private final Map<String, String> parts;
  private final int maxCount;

  private RecurrenceRuleParser(Map<String, String> parts, int maxCount) {
    this.parts = parts;
    this.maxCount = maxCount;
  }

  /** Reads a rule, of which COUNT may be at most {@code maxCount}. */
  static RecurrenceRule parse(String text, int maxCount) throws UnreadableException {
    if (text.length() > MAX_LENGTH) {
      throw new UnreadableException("must be at most " + MAX_LENGTH + " characters long");
    }
    String capitals = text.strip().toUpperCase(Locale.ROOT);
    String rule = capitals.startsWith(PREFIX) ? capitals.substring(PREFIX.length()) : capitals;
    Map<String, String> parts = new LinkedHashMap<>();
    for (String part : rule.split(";", -1)) {
      int equals = part.indexOf('=');
      if (equals < 1 || equals == part.length() - 1) {
        throw new UnreadableException(
            "must consist of parts NAME=VALUE separated by semicolons, such as"
                + " \"FREQ=WEEKLY;BYDAY=MO,FR\"; "
                + CronFieldParser.quote(part)
                + " is not one");
      }
      String name = part.substring(0, equals);
      if (parts.put(name, part.substring(equals + 1)) != null) {
        throw new UnreadableException("must not contain " + CronFieldParser.quote(name) + " twice");
      }
    }
    return new RecurrenceRuleParser(parts, maxCount).rule();
  }

  private RecurrenceRule rule() throws UnreadableException {
    Frequency frequency = frequency();
    long interval = interval();
    OptionalInt count = count();
    Optional<Function<ZoneId, Instant>> until = until();
    Map<ByPart, List<Integer>> numbers = new EnumMap<>(ByPart.class);
    for (ByPart part : ByPart.values()) {
      Optional<String> value = take(part.name());
      if (value.isPresent()) {
        numbers.put(part, numbers(part, value.get()));
      }
    }
    List<Weekday> weekdays = weekdays();
    DayOfWeek weekStart = weekStart();
    if (!parts.isEmpty()) {
      String unknown = parts.keySet().iterator().next();
      throw new UnreadableException("has an unknown part " + CronFieldParser.quote(unknown));
    }
    RecurrenceRule rule =
        new RecurrenceRule(frequency, interval, count, until, numbers, weekdays, weekStart);
    checkCombination(rule);
    checkCount(rule);
    return rule;
  }

  private void checkCount(RecurrenceRule rule) throws UnreadableException {
    boolean isSlow = rule.isSubDaily() && !rule.isElapsedInterval() && maxCount == MAX_COUNT;
    if (isSlow && rule.count().orElse(1) > MAX_SUB_DAILY_COUNT) {
      throw new UnreadableException(
          "has "
              + CronFieldParser.quote(String.valueOf(rule.count().getAsInt()))
              + " in COUNT; with "
              + rule.frequency()
              + " and other parts it may be at most "
              + MAX_SUB_DAILY_COUNT
              + "; maxRuns can bound longer series");
    }
  }

  private Optional<String> take(String name) {
    return Optional.ofNullable(parts.remove(name));
  }

  private Frequency frequency() throws UnreadableException {
    String name = take("FREQ").orElse("");
    for (Frequency frequency : Frequency.values()) {
      if (frequency.name().equals(name)) {
        return frequency;
      }
    }
    throw new UnreadableException(
        "must have a FREQ, one of "
            + English.or(Arrays.stream(Frequency.values()).map(Enum::name).toList()));
  }

  private long interval() throws UnreadableException {
    Optional<String> value = take("INTERVAL");
    return value.isEmpty() ? 1 : number("INTERVAL", value.get(), 1, Integer.MAX_VALUE);
  }

  private OptionalInt count() throws UnreadableException {
    Optional<String> value = take("COUNT");
    return value.isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of((int) number("COUNT", value.get(), 1, maxCount));
  }

  private Optional<Function<ZoneId, Instant>> until() throws UnreadableException {
    Optional<String> value = take("UNTIL");
    if (value.isEmpty()) {
      return Optional.empty();
    }
    String text = value.get();
    try {
      if (text.endsWith("Z")) {
        String local = text.substring(0, text.length() - 1);
        Instant instant = LocalDateTime.parse(local, DATE_TIME).toInstant(ZoneOffset.UTC);
        return Optional.of(zone -> instant);
      }
      if (text.indexOf('T') >= 0) {
        LocalDateTime local = LocalDateTime.parse(text, DATE_TIME);
        return Optional.of(zone -> local.atZone(zone).withLaterOffsetAtOverlap().toInstant());
      }
      LocalDate date = LocalDate.parse(text, DATE);
      return Optional.of(zone -> Boundary.endOf(date, zone));
    } catch (DateTimeException notATime) {
      throw new UnreadableException(
          "has an UNTIL that is not a time; accepted are 20270104T080000Z, the local time"
              + " 20270104T080000 and, for the whole local day, 20270104");
    }
  }

  private static List<Integer> numbers(ByPart part, String text) throws UnreadableException {
    List<Integer> numbers = new ArrayList<>();
    for (String value : text.split(",", -1)) {
      numbers.add((int) number(part, value));
    }
    return numbers.stream().distinct().sorted().toList();
  }

  private static long number(ByPart part, String text) throws UnreadableException {
    if (text.startsWith("-") && part.signed) {
      return -number(part.name(), text.substring(1), part.min, part.max);
    }
    return number(part.name(), text, part.min, part.max);
  }

  private static long number(String part, String text, int min, int max)
      throws UnreadableException {
    if (NUMBER.matcher(text).matches()) {
      long number = Long.parseLong(text);
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw new UnreadableException(
        "has "
            + CronFieldParser.quote(text)
            + " in "
            + part
            + "; accepted are whole numbers from "
            + min
            + " to "
            + max);
  }

  private List<Weekday> weekdays() throws UnreadableException {
    Optional<String> value = take("BYDAY");
    List<Weekday> weekdays = new ArrayList<>();
    if (value.isPresent()) {
      for (String text : value.get().split(",", -1)) {
        weekdays.add(weekday(text));
      }
    }
    return weekdays.stream().distinct().toList();
  }

  private static Weekday weekday(String text) throws UnreadableException {
    Matcher matcher = WEEKDAY.matcher(text);
    if (matcher.matches() && DAY_NAMES.contains(matcher.group(2))) {
      int n = matcher.group(1) == null ? 0 : Integer.parseInt(matcher.group(1));
      boolean plain = matcher.group(1) == null;
      if (plain || (n != 0 && Math.abs(n) <= ByPart.BYWEEKNO.max)) {
        return new Weekday(DayOfWeek.of(DAY_NAMES.indexOf(matcher.group(2)) + 1), n);
      }
    }
    throw new UnreadableException(
        "has "
            + CronFieldParser.quote(text)
            + " in BYDAY; accepted are MO, TU, WE, TH, FR, SA, SU, with a number before them for"
            + " the nth of the month or the year, such as 2MO or -1FR");
  }

  private DayOfWeek weekStart() throws UnreadableException {
    String name = take("WKST").orElse("MO");
    if (!DAY_NAMES.contains(name)) {
      throw new UnreadableException(
          "has " + CronFieldParser.quote(name) + " as WKST; accepted are " + English.or(DAY_NAMES));
    }
    return DayOfWeek.of(DAY_NAMES.indexOf(name) + 1);
  }

  private static void checkCombination(RecurrenceRule rule) throws UnreadableException {
    Frequency frequency = rule.frequency();
    if (rule.count().isPresent() && rule.until().isPresent()) {
      throw new UnreadableException("must not have both COUNT and UNTIL");
    }
    if (rule.has(ByPart.BYWEEKNO) && frequency != Frequency.YEARLY) {
      throw new UnreadableException("may have BYWEEKNO only with FREQ=YEARLY");
    }
    if (rule.has(ByPart.BYYEARDAY)
        && List.of(Frequency.DAILY, Frequency.WEEKLY, Frequency.MONTHLY).contains(frequency)) {
      throw new UnreadableException("must not have BYYEARDAY with FREQ=" + frequency);
    }
    if (rule.has(ByPart.BYMONTHDAY) && frequency == Frequency.WEEKLY) {
      throw new UnreadableException("must not have BYMONTHDAY with FREQ=WEEKLY");
    }
    boolean numbered = rule.weekdays().stream().anyMatch(weekday -> weekday.n() != 0);
    boolean mayBeNumbered =
        frequency == Frequency.MONTHLY
            || (frequency == Frequency.YEARLY && !rule.has(ByPart.BYWEEKNO));
    if (numbered && !mayBeNumbered) {
      throw new UnreadableException(
          "may have numbers in BYDAY only with FREQ=MONTHLY, or with FREQ=YEARLY without BYWEEKNO");
    }
    if (rule.has(ByPart.BYSETPOS) && rule.numbers().size() == 1 && rule.weekdays().isEmpty()) {
      throw new UnreadableException("may have BYSETPOS only together with another BY part");
    }
  }
}
