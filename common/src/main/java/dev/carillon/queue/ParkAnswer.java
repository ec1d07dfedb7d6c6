package dev.carillon.queue;

import java.util.Objects;

/** What became of a notice that was to be parked. */
public sealed interface ParkAnswer {

  /** It is safe: confirmed by whoever keeps it. */
  record Parked() implements ParkAnswer {}

  /**
   * It is not known to be safe. It may have been parked all the same.
   *
   * @param reason for the log
   */
  record NotParked(String reason) implements ParkAnswer {

    public NotParked {
      Objects.requireNonNull(reason, "reason");
    }
  }
}
