package dev.carillon.schedule;

/** What becomes of the 29th, 30th and 31st in months that have no such day. */
enum MonthEnd {
  /** The month's last day takes their place. */
  LAST,
  /** There is no firing. */
  SKIP
}
