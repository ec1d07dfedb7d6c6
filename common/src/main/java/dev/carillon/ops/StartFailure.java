package dev.carillon.ops;

/** Why a process could not start, in one line for whoever started it. */
public final class StartFailure {

  private StartFailure() {}

  /** The messages of a failure and of what caused it, as far as they add anything. */
  public static String describe(Throwable failure) {
    StringBuilder text = new StringBuilder(messageOf(failure));
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      String message = messageOf(cause);
      if (text.indexOf(message) < 0) {
        text.append(" (").append(message).append(')');
      }
    }
    return text.toString();
  }

  private static String messageOf(Throwable failure) {
    String name = failure.getClass().getSimpleName();
    return failure.getMessage() == null ? name : name + ": " + failure.getMessage();
  }
}
