package dev.carillon.task;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** How an attempt ended. */
public sealed interface Outcome {

  /** It did what it should. */
  record Succeeded() implements Outcome {}

  /**
   * It did not.
   *
   * @param error for people; bounded and free of secrets
   * @param retryable whether trying again may help
   * @param retryAfter how long the other side wants to be left alone, if it said so
   */
  record Failed(String error, boolean retryable, Optional<Duration> retryAfter) implements Outcome {

    /** Longest error text that is kept. */
    public static final int MAX_ERROR_LENGTH = 1_000;

    public Failed {
      Objects.requireNonNull(error, "error");
      Objects.requireNonNull(retryAfter, "retryAfter");
      if (error.length() > MAX_ERROR_LENGTH) {
        int end = MAX_ERROR_LENGTH - 1;
        boolean splitsPair = Character.isHighSurrogate(error.charAt(end - 1));
        error = error.substring(0, splitsPair ? end - 1 : end) + "…";
      }
    }

    public Failed(String error, boolean retryable) {
      this(error, retryable, Optional.empty());
    }
  }

  /** Its worker stops before the attempt has ended; somebody else does it again, at once. */
  record HandedBack() implements Outcome {}

  /** It was not begun, being so late that its task's misfire policy has it skipped. */
  record Missed() implements Outcome {}

  /** It was not begun, since its task was paused or canceled as soon as it had been claimed. */
  record Withdrawn() implements Outcome {}
}
