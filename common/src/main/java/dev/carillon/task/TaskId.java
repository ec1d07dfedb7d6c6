package dev.carillon.task;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Identity of a task: a ULID in lower case, 26 characters of Crockford's base 32. The first ten
 * hold the milliseconds of its creation, so that sorting by id is sorting by creation; the others
 * are random.
 */
public record TaskId(String value) implements Comparable<TaskId> {

  private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final Pattern SHAPE = Pattern.compile("[0-7][" + DIGITS + "]{25}");
  private static final char LAST_DIGIT = 'z';
  private static final int TIME_DIGITS = 10;
  private static final int RANDOM_DIGITS = 16;

  public TaskId {
    if (!SHAPE.matcher(Objects.requireNonNull(value, "value")).matches()) {
      throw new IllegalArgumentException("not a task id: " + value);
    }
  }

  /** A new id. Two calls give different ids, whatever the clock says. */
  public static TaskId create(Instant now, RandomGenerator random) {
    StringBuilder id = new StringBuilder(TIME_DIGITS + RANDOM_DIGITS);
    long millis = now.toEpochMilli();
    for (int i = TIME_DIGITS - 1; i >= 0; i--) {
      id.append(DIGITS.charAt((int) (millis >>> (5 * i)) & 31));
    }
    for (int i = 0; i < RANDOM_DIGITS; i++) {
      id.append(DIGITS.charAt(random.nextInt(32)));
    }
    return new TaskId(id.toString());
  }

  /** One of many ids that are made from this one; always the same for the same number. */
  public TaskId derive(int number) {
    byte[] digest;
    try {
      String seed = value + "#" + number;
      digest =
          MessageDigest.getInstance("SHA-256").digest(seed.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JVM has SHA-256", impossible);
    }
    StringBuilder id = new StringBuilder(value.substring(0, TIME_DIGITS));
    for (int i = 0; i < RANDOM_DIGITS; i++) {
      id.append(DIGITS.charAt(digest[i] & 31));
    }
    return new TaskId(id.toString());
  }

  /** The one that comes next in the order of ids. */
  public TaskId successor() {
    char[] digits = value.toCharArray();
    int i = digits.length - 1;
    while (digits[i] == LAST_DIGIT) {
      digits[i--] = DIGITS.charAt(0);
    }
    digits[i] = DIGITS.charAt(DIGITS.indexOf(digits[i]) + 1);
    return new TaskId(new String(digits));
  }

  /** Reads an id that came from outside; empty when it cannot be one. */
  public static Optional<TaskId> parse(String text) {
    return SHAPE.matcher(text).matches() ? Optional.of(new TaskId(text)) : Optional.empty();
  }

  @Override
  public int compareTo(TaskId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
