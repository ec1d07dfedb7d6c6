package dev.carillon.system;

import java.util.Random;

/**
 * Something that goes wrong.
 *
 * @param name for people
 * @param effects what it may cause, beyond being late
 * @param strike makes it go wrong, and returns when what was broken is back
 */
record Fault(String name, Effects effects, Strike strike) {

  /** Carries a fault out. */
  interface Strike {
    void on(ChaosWorld world, Random random) throws Exception;
  }

  /** What a fault is allowed to cause. */
  enum Effects {
    /** Nothing: the ones who run sub-tasks are not touched. */
    NONE,
    /** Runs that are taken over after the lease of a worker that is dead. */
    TAKE_OVER,
    /** Also runs that go on beyond the lease, or are handed back before it has ended. */
    LATE_FINISH_OR_HAND_BACK
  }
}
