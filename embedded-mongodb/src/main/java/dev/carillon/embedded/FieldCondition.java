package dev.carillon.embedded;

import java.util.List;

/** What a filter demands of one field, as far as an index can answer it. */
sealed interface FieldCondition {

  /**
   * The field equals one of these.
   *
   * @param values distinct and normalized, at least one
   */
  record AnyOf(List<Object> values) implements FieldCondition {
    public AnyOf {
      values = List.copyOf(values);
    }
  }

  /**
   * The field is between two bounds.
   *
   * @param low null if there is none
   * @param high null if there is none
   */
  record Range(Bound low, Bound high) implements FieldCondition {

    /** With one bound only: of an array, one element may satisfy the one and another the other. */
    Range oneSided() {
      return low == null ? this : new Range(low, null);
    }
  }

  /** One end of a range; the value is normalized. */
  record Bound(Object value, boolean included) {}

  /** The narrower of the two, or both in one where that is easily done. */
  static FieldCondition both(FieldCondition first, FieldCondition second) {
    if (first instanceof Range a && second instanceof Range b) {
      return new Range(a.low == null ? b.low : a.low, a.high == null ? b.high : a.high);
    }
    return first instanceof AnyOf ? first : second;
  }
}
