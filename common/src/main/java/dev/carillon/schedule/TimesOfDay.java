package dev.carillon.schedule;

import java.time.LocalTime;
import java.util.Optional;

/**
 * The times of a day whose hour, minute and second each belong to a set, kept as the bits of a
 * number.
 */
record TimesOfDay(long hours, long minutes, long seconds) {

  static final long EVERY_HOUR = (1L << 24) - 1;
  static final long EVERY_MINUTE = (1L << 60) - 1;
  static final long EVERY_SECOND = EVERY_MINUTE;

  LocalTime first() {
    return LocalTime.of(lowest(hours), lowest(minutes), lowest(seconds));
  }

  /** The first time that is not before the given one; empty when there is none on that day. */
  Optional<LocalTime> ceiling(LocalTime from) {
    int hour = from.getHour();
    int minute = from.getMinute();
    int second = from.getNano() == 0 ? from.getSecond() : from.getSecond() + 1;
    if (has(hours, hour)) {
      if (has(minutes, minute) && atOrAbove(seconds, second) != 0) {
        return Optional.of(LocalTime.of(hour, minute, lowest(atOrAbove(seconds, second))));
      }
      long laterMinutes = atOrAbove(minutes, minute + 1);
      if (laterMinutes != 0) {
        return Optional.of(LocalTime.of(hour, lowest(laterMinutes), lowest(seconds)));
      }
    }
    long laterHours = atOrAbove(hours, hour + 1);
    return laterHours == 0
        ? Optional.empty()
        : Optional.of(LocalTime.of(lowest(laterHours), lowest(minutes), lowest(seconds)));
  }

  /** How many of the times are before the given one. */
  int countBefore(LocalTime time) {
    return ceiling(time).map(this::rank).orElse(size());
  }

  private int rank(LocalTime time) {
    int rank = below(hours, time.getHour());
    rank = rank * Long.bitCount(minutes) + below(minutes, time.getMinute());
    return rank * Long.bitCount(seconds) + below(seconds, time.getSecond());
  }

  private static int below(long set, int value) {
    return Long.bitCount(set & ~(-1L << value));
  }

  boolean everyHour() {
    return hours == EVERY_HOUR;
  }

  int size() {
    return Long.bitCount(hours) * Long.bitCount(minutes) * Long.bitCount(seconds);
  }

  /** The time with the given rank, counted from 0 in ascending order. */
  LocalTime get(int rank) {
    int perMinute = Long.bitCount(seconds);
    int perHour = Long.bitCount(minutes) * perMinute;
    return LocalTime.of(
        nth(hours, rank / perHour),
        nth(minutes, rank % perHour / perMinute),
        nth(seconds, rank % perMinute));
  }

  private static boolean has(long set, int value) {
    return (set >>> value & 1) != 0;
  }

  private static long atOrAbove(long set, int value) {
    return set & (-1L << value);
  }

  private static int lowest(long set) {
    return Long.numberOfTrailingZeros(set);
  }

  private static int nth(long set, int n) {
    long rest = set;
    for (int i = 0; i < n; i++) {
      rest &= rest - 1;
    }
    return lowest(rest);
  }
}
