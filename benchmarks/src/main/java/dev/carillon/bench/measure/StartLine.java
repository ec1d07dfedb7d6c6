package dev.carillon.bench.measure;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * One line that a no-op job has written when it started, in the form of Carillon's action {@code
 * log}: {@code 2027-01-04T08:00:00.012Z INFO [firing-1] LogHandler: "name": key {…}}.
 *
 * @param at when, by the clock of the machine, in milliseconds since the epoch
 * @param batch the name that the jobs of one measurement share
 * @param key unlike that of any other job; the same if it is run again
 * @param dueAt in milliseconds since the epoch
 */
public record StartLine(long at, String batch, String key, long dueAt) {

  private static final String MARK = ": \"";
  private static final String KEY = "\": ";
  private static final String DUE = "X-Carillon-Due-At=";

  /** Empty if the line is another one. */
  public static Optional<StartLine> parse(String line) {
    int due = line.indexOf(DUE);
    int mark = line.indexOf(MARK);
    int key = line.indexOf(KEY, mark + 1);
    int time = line.indexOf(' ');
    if (due < 0 || mark < 0 || key < 0 || time > mark) {
      return Optional.empty();
    }
    int keyBegin = key + KEY.length();
    int dueBegin = due + DUE.length();
    try {
      return Optional.of(
          new StartLine(
              Instant.parse(line.substring(0, time)).toEpochMilli(),
              line.substring(mark + MARK.length(), key),
              line.substring(keyBegin, line.indexOf(' ', keyBegin)),
              Instant.parse(line.substring(dueBegin, endOfInstant(line, dueBegin)))
                  .toEpochMilli()));
    } catch (DateTimeParseException otherLine) {
      return Optional.empty();
    }
  }

  private static int endOfInstant(String line, int begin) {
    int end = line.indexOf('Z', begin);
    return end < 0 ? line.length() : end + 1;
  }
}
