package dev.carillon.worker.action;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The header {@code Retry-After} of RFC 9110, section 10.2.3: seconds, or a date. */
final class RetryAfter {

  /** Whatever is longer is as good as this. */
  private static final long MOST_SECONDS = Duration.ofDays(365).toSeconds();

  private RetryAfter() {}

  /** How long to wait from now; empty when the header cannot be understood. */
  static Optional<Duration> read(String header, Instant now) {
    String value = header.strip();
    if (!value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      boolean isLong = value.length() > 9;
      return Optional.of(
          Duration.ofSeconds(
              isLong ? MOST_SECONDS : Math.min(MOST_SECONDS, Long.parseLong(value))));
    }
    try {
      Instant date = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration wait = Duration.between(now, date);
      return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
    } catch (DateTimeException neitherSecondsNorDate) {
      return Optional.empty();
    }
  }
}
