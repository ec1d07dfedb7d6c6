package dev.carillon.bench.subject;

import java.util.Locale;

/** How Carillon lets notices wait. */
public enum Mode {
  /** In a queue of its own for each. */
  OWN,
  /** In the shared queues of the wheel. */
  WHEEL,
  /** In own queues while a budget lasts, in the wheel beyond. */
  AUTO;

  /** As the setting of Carillon's processes has it. */
  String setting() {
    return name().toLowerCase(Locale.ROOT);
  }
}
