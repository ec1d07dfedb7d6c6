package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A length of time as users write it: elapsed ({@code PT24H}), or counted on the calendar of a time
 * zone ({@code P1D}), which is not the same on the days the clocks change.
 */
sealed interface Span {

  /** Hours, minutes, seconds: a positive number of whole milliseconds. */
  record Elapsed(Duration duration) implements Span {

    @Override
    public Optional<Instant> after(Instant instant, ZoneId zone) {
      return inRange(instant.plus(duration));
    }
  }

  /** Years, months, weeks, days: none negative, not all zero. */
  record Calendar(Period period) implements Span {

    @Override
    public Optional<Instant> after(Instant instant, ZoneId zone) {
      return inRange(instant.atZone(zone).plus(period).toInstant());
    }
  }

  /** Nothing longer fits between the years 0001 and 9999. */
  long MAX_DAYS = 3_652_059;

  long MAX_MONTHS = 9_999 * 12;

  int MAX_LENGTH = 50;

  Pattern NUMBER = Pattern.compile("[0-9]+");

  /** What is a duration but for its size, and for the order of elapsed time and calendar. */
  Pattern SHAPE =
      Pattern.compile(
          "-?P(?=.)(?:[-+]?[0-9]+Y)?(?:[-+]?[0-9]+M)?(?:[-+]?[0-9]+W)?(?:[-+]?[0-9]+D)?"
              + "(?:T(?=.)(?:[-+]?[0-9]+H)?(?:[-+]?[0-9]+M)?(?:[-+]?[0-9]+(?:[.,][0-9]{0,9})?S)?)?");

  /** The instant that is this much later; empty when it lies beyond the year 9999. */
  Optional<Instant> after(Instant instant, ZoneId zone);

  private static Optional<Instant> inRange(Instant instant) {
    return Optional.of(instant).filter(value -> !value.isAfter(Form.LATEST));
  }

  /** Reads an ISO-8601 duration, in capitals or not. */
  static Span parse(String text) throws UnreadableException {
    String capitals = text.length() > MAX_LENGTH ? "" : text.toUpperCase(Locale.ROOT);
    if (NUMBER.matcher(capitals).matches()) {
      throw bareNumber(capitals);
    }
    if (!SHAPE.matcher(capitals).matches()) {
      throw malformed();
    }
    if (capitals.startsWith("-")) {
      throw notPositive();
    }
    int time = capitals.indexOf('T');
    if (time > 1) {
      throw new UnreadableException(
          "must be either a calendar period such as \"P1D\" or elapsed time such as \"PT36H\", not"
              + " both in one");
    }
    try {
      return time < 0 ? calendar(Period.parse(capitals)) : elapsed(Duration.parse(capitals));
    } catch (DateTimeException overflow) { // the shape is right
      throw tooLong();
    }
  }

  private static Span calendar(Period period) throws UnreadableException {
    if (period.isNegative() || period.isZero()) {
      throw notPositive();
    }
    if (period.toTotalMonths() > MAX_MONTHS || period.get(ChronoUnit.DAYS) > MAX_DAYS) {
      throw tooLong();
    }
    return new Calendar(period);
  }

  private static Span elapsed(Duration duration) throws UnreadableException {
    if (duration.isNegative() || duration.isZero()) {
      throw notPositive();
    }
    if (duration.toDays() > MAX_DAYS) {
      throw tooLong();
    }
    if (!duration.equals(duration.truncatedTo(ChronoUnit.MILLIS))) {
      throw new UnreadableException("must be a whole number of milliseconds");
    }
    return new Elapsed(duration);
  }

  private static UnreadableException notPositive() {
    return new UnreadableException("must not be negative or zero");
  }

  private static UnreadableException bareNumber(String digits) {
    return new UnreadableException(
        "must say of what: \"PT%sS\" is seconds, \"PT%sM\" minutes, \"P%sD\" days"
            .formatted(digits, digits, digits));
  }

  private static UnreadableException malformed() {
    return new UnreadableException(
        "must be an ISO-8601 duration such as \"PT30S\", \"PT24H\" or, counted on the calendar,"
            + " \"P1D\", \"P2W\", \"P1M\", \"P1Y\"");
  }

  private static UnreadableException tooLong() {
    return new UnreadableException("must not be longer than 9999 years");
  }
}
