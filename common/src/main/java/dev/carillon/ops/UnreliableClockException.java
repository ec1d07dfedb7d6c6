package dev.carillon.ops;

/** What was to be done needs the present, and this process may be wrong about it. */
public final class UnreliableClockException extends RuntimeException {

  private static final long serialVersionUID = 1;

  UnreliableClockException(String state) {
    super("the clock of this process cannot be relied on: " + state);
  }
}
