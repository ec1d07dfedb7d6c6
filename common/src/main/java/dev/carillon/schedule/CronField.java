package dev.carillon.schedule;

import java.util.List;
import java.util.OptionalInt;

/** What stands where in a cron expression. */
enum CronField {
  SECOND("second", 0, 59, "", "0 to 59"),
  MINUTE("minute", 0, 59, "", "0 to 59"),
  HOUR("hour", 0, 23, "", "0 to 23"),
  DAY_OF_MONTH("day of month", 1, 31, "", "1 to 31, L, L-3, LW, 15W"),
  MONTH("month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", "1 to 12, JAN to DEC"),
  DAY_OF_WEEK(
      "day of week",
      0,
      7,
      "SUNMONTUEWEDTHUFRISAT",
      "0 to 7, SUN to SAT (0 and 7 are Sunday), 5L, FRI#2");

  static final List<CronField> UNIX = List.of(MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK);
  static final List<CronField> WITH_SECONDS =
      List.of(SECOND, MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK);

  private static final int NAME_LENGTH = 3;

  final String label;
  final int min;
  final int max;
  final String accepted;

  /** In ascending order without anything between, the first one for {@link #min}. */
  private final String names;

  CronField(String label, int min, int max, String names, String accepted) {
    this.label = label;
    this.min = min;
    this.max = max;
    this.names = names;
    this.accepted = accepted;
  }

  boolean isDay() {
    return this == DAY_OF_MONTH || this == DAY_OF_WEEK;
  }

  /** The value with the given name in capitals. */
  OptionalInt named(String name) {
    int index = name.length() == NAME_LENGTH ? names.indexOf(name) : -1;
    boolean found = index >= 0 && index % NAME_LENGTH == 0;
    return found ? OptionalInt.of(min + index / NAME_LENGTH) : OptionalInt.empty();
  }
}
