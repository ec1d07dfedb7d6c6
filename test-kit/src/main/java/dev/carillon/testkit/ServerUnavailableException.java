package dev.carillon.testkit;

/** One way to get a server is closed; the message says why, for a person, and the next is tried. */
final class ServerUnavailableException extends Exception {

  private static final long serialVersionUID = 1;

  ServerUnavailableException(String message) {
    super(message);
  }

  ServerUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
