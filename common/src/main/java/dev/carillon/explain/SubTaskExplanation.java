package dev.carillon.explain;

import dev.carillon.explain.Explanation.State;
import dev.carillon.explain.Explanation.WaitsFor;
import dev.carillon.task.Lease;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import java.time.Instant;

/** Explains an instant by the sub-task that was made for it. */
final class SubTaskExplanation {

  private final Task task;
  private final SubTask subTask;
  private final Instant at;
  private final Situation situation;

  SubTaskExplanation(Task task, SubTask subTask, Instant at, Situation situation) {
    this.task = task;
    this.subTask = subTask;
    this.at = at;
    this.situation = situation;
  }

  Explanation explain() {
    Explanation explanation =
        switch (subTask.status()) {
          case SCHEDULED, PENDING -> new SubTaskToCome(task, subTask, at, situation).explain();
          case RUNNING -> running();
          case SUCCEEDED -> ended(State.SUCCEEDED, "succeeded " + history());
          case FAILED ->
              ended(
                  State.FAILED,
                  "failed %s: %s; it is not tried again"
                      .formatted(history(), Wording.error(subTask)));
          case SKIPPED ->
              ended(State.SKIPPED, "was skipped and never started: " + Wording.error(subTask));
          case CANCELED ->
              ended(
                  State.CANCELED,
                  (subTask.attempt() == 0
                          ? "was canceled before it started: "
                          : "was canceled after " + Wording.attempts(subTask) + ": ")
                      + Cancellation.of(task, subTask));
        };
    return explanation.about(subTask);
  }

  private Explanation ended(State state, String what) {
    return Explanation.of(
        at, state, "%s %s. %s".formatted(Wording.name(subTask), what, whatIsNext()));
  }

  /** When and where it ended. */
  private String history() {
    return subTask
        .run()
        .map(
            run ->
                "%safter %s (worker %s, started %s, %d ms late)"
                    .formatted(
                        run.finishedAt().map(end -> "at " + end + " ").orElse(""),
                        Wording.attempts(subTask),
                        run.worker(),
                        run.startedAt(),
                        run.lateness().toMillis()))
        .orElse("without having started");
  }

  private String whatIsNext() {
    return switch (task.status()) {
      case FINISHED -> "The task has finished.";
      case CANCELED -> "The task has been canceled.";
      case PAUSED -> "The task is paused.";
      case ACTIVE ->
          task.live()
              .map(live -> "Next is %s, due %s.".formatted(Wording.shortName(live), live.dueAt()))
              .orElse("Nothing is left of the task.");
    };
  }

  private Explanation running() {
    SubTask.Run run = subTask.run().orElseThrow();
    Instant leaseEnd =
        task.leases().stream()
            .filter(lease -> lease.index() == subTask.index())
            .map(Lease::until)
            .findFirst()
            .orElse(run.startedAt());
    boolean isSilent = !leaseEnd.isAfter(situation.now());
    String claim =
        "%s is running since %s (%d ms late), attempt %d: worker %s has claimed it until %s"
            .formatted(
                Wording.name(subTask),
                run.startedAt(),
                run.lateness().toMillis(),
                subTask.attempt(),
                run.worker(),
                leaseEnd);
    String expectation =
        isSilent
            ? " and fell silent. The next sweep of a worker has it run again."
            : ", or longer if it shows signs of life. The attempt is interrupted if it takes"
                + " until %s.".formatted(run.startedAt().plus(task.definition().timeout()));
    Explanation explanation =
        Explanation.of(at, State.RUNNING, claim + expectation + whatFollows());
    return isSilent ? explanation.waitingFor(WaitsFor.SWEEP) : explanation.until(leaseEnd);
  }

  private String whatFollows() {
    return switch (task.status()) {
      case CANCELED -> " The task has been canceled: nothing follows.";
      case PAUSED -> " The task is paused: nothing follows until it is resumed.";
      case ACTIVE, FINISHED -> "";
    };
  }
}
