package dev.carillon.handler;

/** The attempt has failed, and so would any other: the sub-task is not tried again. */
public final class PermanentFailureException extends Exception {

  private static final long serialVersionUID = 1;

  /**
   * @param message shown with the sub-task
   */
  public PermanentFailureException(String message) {
    super(message);
  }

  /**
   * @param message shown with the sub-task
   */
  public PermanentFailureException(String message, Throwable cause) {
    super(message, cause);
  }
}
