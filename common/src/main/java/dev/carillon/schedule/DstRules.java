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

  /**
   * For what runs on real elapsed time and only looks at the clock, such as {@code 0 * * * *}: the
   * clock shows a repeated hour twice and never shows the gap.
   */
  static final DstRules ELAPSED = new DstRules(Gap.SKIP, Overlap.BOTH);
}
