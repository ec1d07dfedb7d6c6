package dev.carillon.mongo;

/**
 * A stored document that is not a task as this version of the program knows it: somebody has edited
 * it by hand, or a newer version has written it. Trying again does not help.
 */
public final class UnreadableTaskException extends RuntimeException {

  private static final long serialVersionUID = 1;

  UnreadableTaskException(Object id, String problems, Throwable cause) {
    super("the stored task " + id + " cannot be read: " + problems, cause);
  }
}
