package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * What becomes of sub-tasks whose time has passed without anybody to run them. A sub-task that was
 * begun is never missed.
 *
 * @param grace how late a sub-task may start and still count as on time
 */
public record MisfirePolicy(Rule rule, Duration grace) {

  /** Which of the missed sub-tasks are run after all. */
  public enum Rule {
    /** All of them, one after the other, but at most the latest {@value #MOST_CAUGHT_UP}. */
    RUN_ALL(MisfirePolicy.MOST_CAUGHT_UP),
    /** The latest. */
    RUN_LATEST(1),
    /** None. */
    SKIP(0);

    private final int kept;

    Rule(int kept) {
      this.kept = kept;
    }

    /** How many of the missed sub-tasks, counted from the latest, are run after all. */
    int kept() {
      return kept;
    }
  }

  /** Beyond this many the oldest are skipped by every rule: catching up must come to an end. */
  static final int MOST_CAUGHT_UP = 1_000;

  /** The latest missed one is run; a minute late is still on time. */
  public static final MisfirePolicy DEFAULT =
      new MisfirePolicy(Rule.RUN_LATEST, Duration.ofMinutes(1));

  public MisfirePolicy {
    Objects.requireNonNull(rule, "rule");
    if (grace.isNegative()) {
      throw new IllegalArgumentException("grace must not be negative");
    }
  }

  /** Whether a sub-task has been missed by now. */
  boolean isMissed(SubTask subTask, Instant now) {
    return subTask.attempt() == 0 && subTask.runAt().plus(grace).isBefore(now);
  }

  /** Why a missed sub-task is skipped, for people. */
  String reason(SubTask subTask, Instant now) {
    String which =
        switch (rule) {
          case RUN_ALL -> "only the latest " + MOST_CAUGHT_UP + " missed ones are run";
          case RUN_LATEST -> "only the latest missed one is run";
          case SKIP -> "missed ones are not run";
        };
    return "misfire: not started by "
        + now
        + ", "
        + Duration.between(subTask.runAt(), now)
        + " late; "
        + which;
  }
}
