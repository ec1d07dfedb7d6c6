package dev.carillon.embedded;

import java.util.List;
import java.util.stream.Stream;

/**
 * A part of an index: everything between two places, each given by the values that entries begin
 * with, and an edge: before (-1) or after (1) all that begin with them.
 */
record IndexSpan(List<Object> from, int fromEdge, List<Object> to, int toEdge) {

  private static final int BEFORE = -1;
  private static final int AFTER = 1;

  /** Everything that begins with these values. */
  static IndexSpan of(List<Object> prefix) {
    return new IndexSpan(prefix, BEFORE, prefix, AFTER);
  }

  /**
   * Everything that begins with these values and has the next one in a range.
   *
   * @param ascending the direction of the index on that next value
   */
  static IndexSpan of(List<Object> prefix, FieldCondition.Range range, boolean ascending) {
    FieldCondition.Bound low = range.low();
    FieldCondition.Bound high = range.high();
    // a comparison never matches null or a missing field, which come first
    List<Object> lowest = append(prefix, low == null ? null : low.value());
    boolean lowestIncluded = low != null && low.included();
    List<Object> highest = high == null ? prefix : append(prefix, high.value());
    boolean highestIncluded = high == null || high.included();
    return ascending
        ? new IndexSpan(
            lowest, lowestIncluded ? BEFORE : AFTER, highest, highestIncluded ? AFTER : BEFORE)
        : new IndexSpan(
            highest, highestIncluded ? BEFORE : AFTER, lowest, lowestIncluded ? AFTER : BEFORE);
  }

  static List<Object> append(List<Object> values, Object value) {
    return Stream.concat(values.stream(), Stream.of(new Object[] {value})).toList();
  }
}
