package dev.carillon.task;

import java.util.Objects;

/** How an attempt ended. */
public sealed interface Outcome {

  /** It did what it should. */
  record Succeeded() implements Outcome {}

  /**
   * It did not.
   *
   * @param error for people; bounded and free of secrets
   * @param retryable whether trying again may help
   */
  record Failed(String error, boolean retryable) implements Outcome {

    /** Longest error text that is kept. */
    public static final int MAX_ERROR_LENGTH = 1_000;

    public Failed {
      Objects.requireNonNull(error, "error");
      if (error.length() > MAX_ERROR_LENGTH) {
        error = error.substring(0, MAX_ERROR_LENGTH - 1) + "…";
      }
    }
  }

  /** Its worker stops before the attempt has ended; somebody else does it again, at once. */
  record HandedBack() implements Outcome {}
}
