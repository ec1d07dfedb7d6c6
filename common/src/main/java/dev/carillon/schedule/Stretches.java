package dev.carillon.schedule;

import java.time.Instant;
import java.time.zone.ZoneRules;

/**
 * All {@link Stretch}es of a zone. The latest is kept at hand, since who asks mostly goes on from
 * where they were, and to find out about the changes of the clocks of a distant year takes longer
 * than all else. Thread-safe.
 */
final class Stretches {

  private final ZoneRules rules;
  private volatile Stretch latest;

  Stretches(ZoneRules rules) {
    this.rules = rules;
  }

  /** The stretch in which an instant lies. */
  Stretch at(Instant instant) {
    Stretch known = latest;
    if (known == null || !known.contains(instant)) {
      known = Stretch.at(instant, rules);
      latest = known;
    }
    return known;
  }
}
