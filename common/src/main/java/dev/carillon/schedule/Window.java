package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Instant;
import java.util.Optional;

/**
 * The time in which a schedule may fire: from start to end, both included, but not when excluded.
 */
record Window(Optional<Boundary> start, Optional<Boundary> end, Exclusions exclusions) {

  Instant first() {
    return start.map(Boundary::instant).filter(Form.EARLIEST::isBefore).orElse(Form.EARLIEST);
  }

  Instant last() {
    return end.map(Boundary::instant).filter(Form.LATEST::isAfter).orElse(Form.LATEST);
  }
}
