package dev.carillon.flow;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When a message is to be delivered: at an instant, or so long after it has come in. */
record DueTime(Duration delay, Optional<Instant> at) {

  static final DueTime AT_ONCE = after(Duration.ZERO);

  static DueTime after(Duration delay) {
    return new DueTime(delay, Optional.empty());
  }

  static DueTime at(Instant instant) {
    return new DueTime(Duration.ZERO, Optional.of(instant));
  }

  /** The instant for a message that has come in then; not before that. */
  Instant from(Instant then) {
    Instant due = at.orElseGet(() -> then.plus(delay));
    return due.isBefore(then) ? then : due;
  }

  boolean isOver(Instant now) {
    return !from(now).isAfter(now);
  }
}
