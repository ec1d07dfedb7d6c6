package dev.carillon.queue;

/**
 * Too many look at the parked messages at a time, and one's turn did not come; nothing was done,
 * and the same may succeed later.
 */
public final class ParkedBusyException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public ParkedBusyException() {
    super("too many look at the parked messages at a time");
  }
}
