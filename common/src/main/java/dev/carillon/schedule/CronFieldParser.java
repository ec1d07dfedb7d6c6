package dev.carillon.schedule;

import java.time.DayOfWeek;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads one field of a cron expression: items separated by commas. */
final class CronFieldParser {

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
  private static final Pattern FROM_END = Pattern.compile("L(?:-([0-9]{1,2}))?(W)?");
  private static final Pattern NEAREST_WEEKDAY = Pattern.compile("([0-9]{1,2})W");
  private static final Pattern LAST_WEEKDAY = Pattern.compile("([A-Z]+|[0-9])L");
  private static final Pattern NTH_WEEKDAY = Pattern.compile("([A-Z]+|[0-9])#([0-9])");
  private static final int SUNDAY = 7;

  private final CronField field;
  private final List<DayRule> rules = new ArrayList<>();
  private final List<DayRule> expected = new ArrayList<>();
  private long numbers;
  private boolean any;

  /** The field as it was written, and where it begins, for errors. */
  private String written = "";

  private int start;

  CronFieldParser(CronField field) {
    this.field = field;
  }

  /** The values that are named, as bits; Sunday is bit 0. */
  long numbers() {
    return numbers;
  }

  CronDays days() {
    return new CronDays(any, numbers, List.copyOf(rules), List.copyOf(expected));
  }

  void parse(String text, int position) throws UnreadableException {
    written = text;
    start = position;
    if (text.equals("?") && field.isDay()) {
      any = true;
      addRange(field.min, field.max, 1);
      return;
    }
    int begin = 0;
    while (begin <= text.length()) {
      int comma = text.indexOf(',', begin);
      int end = comma < 0 ? text.length() : comma;
      item(text.substring(begin, end).toUpperCase(Locale.ROOT), position + begin);
      begin = end + 1;
    }
  }

  private void item(String item, int position) throws UnreadableException {
    Optional<DayRule> rule = dayRule(item, position);
    if (rule.isPresent()) {
      rules.add(rule.get());
      expected.add(rule.get());
      return;
    }
    int slash = item.indexOf('/');
    String range = slash < 0 ? item : item.substring(0, slash);
    int step = slash < 0 ? 1 : step(item.substring(slash + 1), position + slash + 1);
    int hyphen = range.indexOf('-');
    if (range.equals("*")) {
      any |= step == 1;
      addRange(field.min, field.max, step);
    } else if (hyphen >= 0) {
      int from = value(range.substring(0, hyphen), position);
      int to = rangeEnd(range.substring(hyphen + 1), from, position + hyphen + 1);
      addRange(from, to, step);
    } else if (slash >= 0) {
      addRange(value(range, position), field.max, step);
    } else {
      single(value(range, position));
    }
  }

  private void single(int value) {
    addRange(value, value, 1);
    if (field == CronField.DAY_OF_MONTH && value >= DayRule.FIRST_DAY_NOT_IN_ALL_MONTHS) {
      expected.add(new DayRule.Numbered(value));
    }
  }

  private void addRange(int from, int to, int step) {
    for (int value = from; value <= to; value += step) {
      numbers |= 1L << (field == CronField.DAY_OF_WEEK ? value % SUNDAY : value);
    }
  }

  private int step(String text, int position) throws UnreadableException {
    if (!NUMBER.matcher(text).matches()
        || Integer.parseInt(text) < 1
        || Integer.parseInt(text) > field.max) {
      throw new UnreadableException(
          found("step", text, position) + "; accepted are 1 to " + field.max);
    }
    return Integer.parseInt(text);
  }

  private int rangeEnd(String text, int from, int position) throws UnreadableException {
    int to = value(text, position);
    if (to == 0 && from > 0 && text.equals("SUN")) {
      return SUNDAY;
    }
    if (to < from) {
      throw new UnreadableException(
          asWritten(text, position)
              + " lies before the beginning of its range; ranges run upwards, such as 1-5");
    }
    return to;
  }

  private int value(String text, int position) throws UnreadableException {
    OptionalInt named = field.named(text);
    if (named.isPresent()) {
      return named.getAsInt();
    }
    if (NUMBER.matcher(text).matches()) {
      int value = Integer.parseInt(text);
      if (value >= field.min && value <= field.max) {
        return value;
      }
    }
    throw new UnreadableException(
        found(field.label, text, position)
            + "; accepted are "
            + field.accepted
            + ", *, ranges (a-b), steps (*/n) and lists (a,b)");
  }

  private Optional<DayRule> dayRule(String item, int position) throws UnreadableException {
    return switch (field) {
      case DAY_OF_MONTH -> ruleOfMonth(item, position);
      case DAY_OF_WEEK -> ruleOfWeek(item, position);
      default -> Optional.empty();
    };
  }

  private Optional<DayRule> ruleOfMonth(String item, int position) throws UnreadableException {
    Matcher fromEnd = FROM_END.matcher(item);
    if (fromEnd.matches()) {
      int before = fromEnd.group(1) == null ? 0 : daysBefore(fromEnd.group(1), position + 2);
      DayRule day = new DayRule.FromEnd(before);
      return Optional.of(fromEnd.group(2) == null ? day : new DayRule.NearestWeekday(day));
    }
    Matcher nearest = NEAREST_WEEKDAY.matcher(item);
    return nearest.matches()
        ? Optional.of(
            new DayRule.NearestWeekday(new DayRule.Numbered(value(nearest.group(1), position))))
        : Optional.empty();
  }

  private int daysBefore(String text, int position) throws UnreadableException {
    int days = Integer.parseInt(text);
    if (days >= CronField.DAY_OF_MONTH.max) {
      throw new UnreadableException(
          quote(text) + " at position " + position + " is too many days; accepted are 0 to 30");
    }
    return days;
  }

  private Optional<DayRule> ruleOfWeek(String item, int position) throws UnreadableException {
    Matcher last = LAST_WEEKDAY.matcher(item);
    if (last.matches()) {
      DayOfWeek day = dayOfWeek(last.group(1), position);
      return Optional.of(new DayRule.NthWeekday(day, DayRule.NthWeekday.LAST));
    }
    Matcher nth = NTH_WEEKDAY.matcher(item);
    if (!nth.matches()) {
      return Optional.empty();
    }
    int n = Integer.parseInt(nth.group(2));
    if (n < 1 || n > 5) {
      throw new UnreadableException(
          quote(nth.group(2))
              + " at position "
              + (position + nth.start(2))
              + " is not a week of the month; accepted are 1 to 5");
    }
    return Optional.of(new DayRule.NthWeekday(dayOfWeek(nth.group(1), position), n));
  }

  private DayOfWeek dayOfWeek(String text, int position) throws UnreadableException {
    int number = value(text, position) % SUNDAY;
    return number == 0 ? DayOfWeek.SUNDAY : DayOfWeek.of(number);
  }

  /** What is wrong with a part that is to be a step, a minute or the like. */
  private String found(String wanted, String text, int position) {
    return text.isEmpty()
        ? English.aOrAn(wanted) + " is missing at position " + position
        : asWritten(text, position) + " is not " + English.aOrAn(wanted);
  }

  /** A part of the field, which is read in capitals, as the user wrote it. */
  private String asWritten(String text, int position) {
    int begin = position - start;
    int end = begin + text.length();
    boolean isThere = written.regionMatches(true, begin, text, 0, text.length());
    String part = isThere ? written.substring(begin, end) : text; // ß is longer in capitals
    return quote(part) + " at position " + position;
  }

  /** In quotation marks, and not longer than one wants to read. */
  static String quote(String text) {
    return '"' + (text.length() > 20 ? text.substring(0, 20) + "…" : text) + '"';
  }
}
