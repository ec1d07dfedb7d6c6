package dev.carillon.bench.subject;

/** Carillon as it was built here has no such mode. */
public final class UnknownModeException extends RuntimeException {

  UnknownModeException(String message) {
    super(message);
  }
}
