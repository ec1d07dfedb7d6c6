package dev.carillon.explain;

import dev.carillon.explain.Explanation.State;
import dev.carillon.explain.Explanation.WaitsFor;
import dev.carillon.task.Concurrency;
import dev.carillon.task.Origin;
import dev.carillon.task.Overlap;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Explains what a sub-task waits for that has not ended and does not run. */
final class SubTaskToCome {

  private final Task task;
  private final SubTask subTask;
  private final Instant at;
  private final Situation situation;

  SubTaskToCome(Task task, SubTask subTask, Instant at, Situation situation) {
    this.task = task;
    this.subTask = subTask;
    this.at = at;
    this.situation = situation;
  }

  Explanation explain() {
    boolean isDue = !subTask.runAt().isAfter(situation.now());
    if (task.status() == TaskStatus.PAUSED && subTask.origin() != Origin.TRIGGER) {
      return say(State.PAUSED, "waits, since the task is paused. " + whenResumed(isDue))
          .waitingFor(WaitsFor.RESUME);
    }
    if (task.next().filter(next -> next.index() == subTask.index()).isEmpty()) {
      return behindOthers(isDue);
    }
    if (isDue) {
      return due();
    }
    if (subTask.attempt() > 0) {
      return say(
              State.RETRYING,
              "has had %s without success (%s). The next one starts %s."
                  .formatted(Wording.attempts(subTask), Wording.error(subTask), subTask.runAt()))
          .until(subTask.runAt());
    }
    return subTask.parked().map(this::parked).orElseGet(this::notParked);
  }

  private String whenResumed(boolean isDue) {
    if (subTask.origin() == Origin.BACKFILL || subTask.attempt() > 0) { // never missed
      return "It runs when the task is resumed.";
    }
    return isDue
        ? Wording.onResuming(task)
        : "It runs at its time if the task is resumed before that.";
  }

  private Explanation behindOthers(boolean isDue) {
    Optional<SubTask> first = task.next().or(task::live);
    String turn =
        "Sub-tasks of a task %s, and it is the turn of %s."
            .formatted(
                task.definition().overlap() == Overlap.ALLOW
                    ? "start one after the other"
                    : "follow one another",
                first
                    .map(one -> Wording.shortName(one) + ", which is " + one.status())
                    .orElse("sub-task " + task.cursor()));
    return (isDue
            ? say(State.WAITING, "is due and waits. " + turn + whatBecomesOfTheLate())
            : say(State.GENERATED, "is generated, and parked when it is the next. " + turn))
        .waitingFor(WaitsFor.EARLIER_SUB_TASK);
  }

  private String whatBecomesOfTheLate() {
    if (subTask.origin() != Origin.SCHEDULE) {
      return "";
    }
    boolean isToBeSkipped =
        task.definition().overlap() == Overlap.SKIP
            && !task.leases().isEmpty()
            && subTask.attempt() == 0;
    return isToBeSkipped
        ? " Since it fell due during a run, it is skipped when that has ended (overlap)."
        : " If that takes long, " + Wording.misfire(task);
  }

  private Explanation parked(SubTask.Parked parked) {
    return say(
            State.PARKED,
            "was parked in queue %s at %s (%s). A worker"
                    .formatted(
                        parked.queue(),
                        parked.at(),
                        situation.isInProcess()
                            ? "in memory, which a restart forgets"
                            : "whether RabbitMQ still has it cannot be known")
                + " starts it %s; if none has by %s, a sweep parks it again."
                    .formatted(subTask.runAt(), wakeAt()))
        .until(subTask.runAt());
  }

  private Explanation notParked() {
    if (wakeAt().isAfter(situation.now())) {
      return say(
              State.GENERATED,
              "is generated; notices are parked %s ahead at most (%s). A sweep parks it %s."
                  .formatted(Duration.between(wakeAt(), subTask.runAt()), parkingLimit(), wakeAt()))
          .until(wakeAt());
    }
    return situation.brokerIsThere()
        ? say(State.GENERATED, "is generated. The next sweep of a worker parks it.")
            .waitingFor(WaitsFor.SWEEP)
        : say(
                State.GENERATED,
                "is generated, and could not be parked: %s. A sweep parks it %s."
                    .formatted(situation.brokerIsAway(), situation.whenBack()))
            .waitingFor(WaitsFor.BROKER);
  }

  private String parkingLimit() {
    return situation.isInProcess()
        ? "in memory, without RabbitMQ"
        : "HORIZON, or a turn of the wheel where that is used";
  }

  private Explanation due() {
    String attempts =
        subTask.attempt() == 0
            ? ""
            : "has had %s without success (%s), "
                .formatted(Wording.attempts(subTask), Wording.error(subTask));
    String due =
        "%sis due since %s and has not been claimed: ".formatted(attempts, subTask.runAt());
    if (!situation.brokerIsThere()) {
      return say(
              State.WAITING,
              due
                  + "%s. A worker gets it, or a sweep parks it again, %s."
                      .formatted(situation.brokerIsAway(), situation.whenBack()))
          .waitingFor(WaitsFor.BROKER);
    }
    if (task.inLineSince().isPresent() && task.definition().concurrency().isPresent()) {
      Concurrency shared = task.definition().concurrency().get();
      return say(
              State.WAITING,
              due
                  + "as many runs with the concurrency key \"%s\" are on as may be (%d). It starts"
                      .formatted(shared.key(), shared.limit())
                  + " when one of them has ended and those that have waited longer have started.")
          .waitingFor(WaitsFor.CONCURRENCY_KEY);
    }
    if (subTask.parked().isEmpty()) {
      return say(State.WAITING, due + "it is not parked. The next sweep of a worker parks it.")
          .waitingFor(WaitsFor.SWEEP);
    }
    SubTask.Parked parked = subTask.parked().get();
    return say(
            State.WAITING,
            due
                + "its notice, parked in queue %s at %s, is on its way, waits for a worker to be free"
                    .formatted(parked.queue(), parked.at())
                + " or to be there at all, or is lost. A sweep of a worker parks it again %s."
                    .formatted(wakeAt()))
        .waitingFor(WaitsFor.WORKER)
        .until(wakeAt());
  }

  private Instant wakeAt() {
    return task.wakeAt().orElse(subTask.runAt());
  }

  private Explanation say(State state, String what) {
    return Explanation.of(at, state, Wording.name(subTask) + " " + what);
  }
}
