package dev.carillon.form;

import java.util.Objects;

/**
 * One thing that is wrong with what a user sent.
 *
 * @param field path of the field, for example {@code retry.maxAttempts}; empty for the whole input
 * @param message what is wrong and what is accepted, without the field's name
 */
public record Problem(String field, String message) {

  public Problem {
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(message, "message");
  }
}
