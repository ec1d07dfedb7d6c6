package dev.carillon.queue;

/** The broker cannot be used for the moment; the same may succeed later. */
public final class BrokerAwayException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /**
   * @param reason in the broker's own words where it had any
   */
  public BrokerAwayException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
