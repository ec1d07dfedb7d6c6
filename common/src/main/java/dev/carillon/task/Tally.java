package dev.carillon.task;

/** How many sub-tasks of a task have ended, and how. Counts all there ever were. */
public record Tally(long succeeded, long failed, long skipped, long canceled) {

  public static final Tally ZERO = new Tally(0, 0, 0, 0);

  /** This and so many more that ended in the given, finished, status. */
  public Tally plus(long count, SubTaskStatus ended) {
    return switch (ended) {
      case SUCCEEDED -> new Tally(succeeded + count, failed, skipped, canceled);
      case FAILED -> new Tally(succeeded, failed + count, skipped, canceled);
      case SKIPPED -> new Tally(succeeded, failed, skipped + count, canceled);
      case CANCELED -> new Tally(succeeded, failed, skipped, canceled + count);
      case SCHEDULED, PENDING, RUNNING ->
          throw new IllegalArgumentException(ended + " is not an end");
    };
  }

  /** This without so many that had ended in the given, finished, status and have not any more. */
  public Tally minus(long count, SubTaskStatus ended) {
    return plus(-count, ended);
  }

  /** For people, such as "30 sub-tasks succeeded, 1 failed, 0 skipped, 0 canceled". */
  public String inWords() {
    return "%d sub-task%s succeeded, %d failed, %d skipped, %d canceled"
        .formatted(succeeded, succeeded == 1 ? "" : "s", failed, skipped, canceled);
  }

  public long total() {
    return succeeded + failed + skipped + canceled;
  }
}
