package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.Function;

/**
 * The start or the end of a schedule.
 *
 * @param text the instant, or the local date, in its canonical form
 * @param instant the first or the last instant that belongs to the schedule
 */
record Boundary(String text, Instant instant) {

  /** What is accepted, in words. */
  static final String ACCEPTED =
      "an ISO-8601 instant with an offset such as \"2027-01-04T08:00:00Z\", or a date such as"
          + " \"2027-01-04\"";

  private static final int DATE_LENGTH = "2027-01-04".length();
  private static final Duration TICK = Duration.ofMillis(1);

  static Boundary of(Instant instant) {
    return new Boundary(instant.toString(), instant);
  }

  /** Reads a field; a problem is added to the form when it is there and the parser takes it not. */
  static Optional<Boundary> read(
      Form form, String name, Function<String, Optional<Boundary>> parser) {
    Optional<String> text = form.text(name);
    Optional<Boundary> boundary = text.flatMap(parser);
    if (text.isPresent() && boundary.isEmpty()) {
      form.reject(name, "must be " + ACCEPTED + ", with a year from 0001 to 9999");
    }
    return boundary;
  }

  /** Reads an instant, or a date that means the beginning of that local day. */
  static Optional<Boundary> start(String text, ZoneId zone) {
    return text.length() == DATE_LENGTH
        ? parseDate(text).map(date -> new Boundary(text, startOf(date, zone)))
        : Form.parseInstant(text).map(Boundary::of);
  }

  /** Reads an instant, or a date that means the last millisecond of that local day. */
  static Optional<Boundary> end(String text, ZoneId zone) {
    return text.length() == DATE_LENGTH
        ? parseDate(text).map(date -> new Boundary(text, endOf(date, zone)))
        : Form.parseInstant(text).map(Boundary::of);
  }

  /** Reads an ISO-8601 date with a year from 0001 to 9999. */
  static Optional<LocalDate> parseDate(String text) {
    try {
      LocalDate date = LocalDate.parse(text);
      return date.getYear() >= 1 && date.getYear() <= 9999 ? Optional.of(date) : Optional.empty();
    } catch (DateTimeException notADate) {
      return Optional.empty();
    }
  }

  /** The first instant at which the local date is the given one or later. */
  static Instant startOf(LocalDate date, ZoneId zone) {
    return date.atStartOfDay(zone).withEarlierOffsetAtOverlap().toInstant();
  }

  /** The last instant at which the local date is the given one or earlier. */
  static Instant endOf(LocalDate date, ZoneId zone) {
    return date.plusDays(1).atStartOfDay(zone).withLaterOffsetAtOverlap().toInstant().minus(TICK);
  }
}
