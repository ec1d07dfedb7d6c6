package dev.carillon.schedule;

/** What becomes of local times that do not exist, or exist twice, when the clocks change. */
record DstRules(Gap gap, Overlap overlap) {

  /** What becomes of a time in the gap when the clocks go forward. */
  enum Gap {
    /** It is moved forward by the gap's length: the instant it would have without the change. */
    SHIFT,
    /** It becomes the first instant after the gap. */
    END,
    /** It does not fire. */
    SKIP
  }

  /** Which copy of a repeated time fires when the clocks go back. */
  enum Overlap {
    FIRST,
    LAST,
    BOTH
  }

  static final DstRules DEFAULT = new DstRules(Gap.SHIFT, Overlap.FIRST);

  /** The rules in words. */
  String reading() {
    String forward =
        switch (gap) {
          case SHIFT -> "a time in the gap moves forward by the gap's length";
          case END -> "a time in the gap moves to the gap's end";
          case SKIP -> "a time in the gap does not fire";
        };
    String back =
        switch (overlap) {
          case FIRST -> "the first copy of a repeated time fires";
          case LAST -> "the last copy of a repeated time fires";
          case BOTH -> "both copies of a repeated time fire";
        };
    return "When the clocks go forward, " + forward + "; when they go back, " + back + ".";
  }
}
