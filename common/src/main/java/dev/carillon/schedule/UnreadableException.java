package dev.carillon.schedule;

/** A text that is not accepted. The message says what is wrong with it and what is accepted. */
final class UnreadableException extends Exception {

  UnreadableException(String message) {
    super(message);
  }
}
