package dev.carillon.system;

import dev.carillon.rabbit.PendingShape;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What came of a fault.
 *
 * @param mode what notices waited in
 * @param rounds how often it happened
 * @param tasks that were there
 * @param recoveries how long it took each time until all went on
 */
record Figures(
    String fault,
    PendingShape.Mode mode,
    int rounds,
    int tasks,
    Audit audit,
    List<Duration> recoveries) {

  static final String HEAD =
      """
      | fault | queues | rounds | tasks | runs | lost | repeated effects | of these after a later run | early | recovery p50 / max, s |
      | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |
      """;

  /** As a line of the table. */
  String line() {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %s |",
        fault,
        mode.name().toLowerCase(Locale.ROOT),
        rounds,
        tasks,
        audit.runs(),
        audit.lost(),
        audit.repeated(),
        audit.late(),
        audit.early(),
        recovery());
  }

  private String recovery() {
    if (recoveries.isEmpty()) {
      return "–";
    }
    List<Duration> sorted = recoveries.stream().sorted().toList();
    return String.format(
        Locale.ROOT,
        "%.1f / %.1f",
        sorted.get((sorted.size() - 1) / 2).toMillis() / 1e3,
        sorted.get(sorted.size() - 1).toMillis() / 1e3);
  }
}
