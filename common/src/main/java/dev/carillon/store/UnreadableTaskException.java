package dev.carillon.store;

/**
 * A stored document that is not a task as this version of the program knows it: somebody has edited
 * it by hand, or a newer version has written it. Trying again does not help: it is corrected by
 * hand, or discarded.
 */
public final class UnreadableTaskException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final String id;
  private final String problems;

  /**
   * Says so.
   *
   * @param problems what is wrong with it
   */
  public UnreadableTaskException(Object id, String problems, Throwable cause) {
    super("the stored task " + id + " cannot be read: " + problems, cause);
    this.id = String.valueOf(id);
    this.problems = String.valueOf(problems);
  }

  /** Which it is, as it is stored. */
  public String id() {
    return id;
  }

  /** What is wrong with it. */
  public String problems() {
    return problems;
  }
}
