package dev.carillon.explain;

import dev.carillon.explain.Explanation.State;
import java.time.Instant;
import java.util.Optional;

/** Tells of an instant at which nothing is due by those next to it. */
final class Neighbours {

  private Neighbours() {}

  static Explanation neverDue(
      Instant at, Optional<String> reason, Optional<Instant> before, Optional<Instant> after) {
    String why = reason.orElse("it is not an instant of this schedule");
    return Explanation.of(
            at, State.NEVER_DUE, "Nothing is due then: " + why + ". " + inWords(before, after))
        .between(before, after);
  }

  static String inWords(Optional<Instant> before, Optional<Instant> after) {
    if (before.isPresent() && after.isPresent()) {
      return "The ones around it are " + before.get() + " and " + after.get() + ".";
    }
    if (before.isPresent()) {
      return "The last one before it is " + before.get() + ".";
    }
    return after
        .map(first -> "The first one after it is " + first + ".")
        .orElse("There is none before or after it.");
  }
}
