package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * One firing of a task. Immutable; each step of its life gives a new value.
 *
 * @param index 0, 1, 2 … in the order of due times, or −1, −2 … for an {@linkplain Extras extra
 *     run}; names the sub-task together with its task's id
 * @param origin why there is one
 * @param request who wanted it, if it is an extra run of somebody who may repeat the request
 * @param dueAt when the schedule wants it; for a triggered run, when it was triggered
 * @param runAt when its next, current or last attempt is meant to start: the due time, later by the
 *     schedule's jitter, or later for a repeated attempt. Never earlier.
 * @param attempt how many attempts have been started
 * @param failedAttempts how many of them failed
 * @param lostWorkers how many of them ended because their worker fell silent
 * @param parked where its notice waits, while it is PENDING
 * @param run the latest attempt, once there was one
 * @param error why the latest unsuccessful attempt did not succeed
 */
public record SubTask(
    long index,
    Origin origin,
    Optional<KeyedRequest> request,
    Instant dueAt,
    Instant runAt,
    SubTaskStatus status,
    int attempt,
    int failedAttempts,
    int lostWorkers,
    Optional<Parked> parked,
    Optional<Run> run,
    Optional<String> error) {

  /**
   * Where a notice waits.
   *
   * @param queue name of the pending queue
   * @param at when the decision to park it there was stored
   */
  public record Parked(String queue, Instant at) {

    public Parked {
      Objects.requireNonNull(queue, "queue");
      Objects.requireNonNull(at, "at");
    }
  }

  /**
   * An attempt.
   *
   * @param lateness start minus {@link SubTask#runAt}; never negative
   */
  public record Run(
      String worker, Instant startedAt, Optional<Instant> finishedAt, Duration lateness) {

    public Run {
      Objects.requireNonNull(worker, "worker");
      Objects.requireNonNull(startedAt, "startedAt");
      Objects.requireNonNull(finishedAt, "finishedAt");
      if (lateness.isNegative()) {
        throw new IllegalArgumentException("started " + lateness.negated() + " before it was due");
      }
    }

    Run finished(Instant now) {
      return new Run(worker, startedAt, Optional.of(now), lateness);
    }
  }

  public SubTask {
    Objects.requireNonNull(origin, "origin");
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(parked, "parked");
    Objects.requireNonNull(run, "run");
    Objects.requireNonNull(error, "error");
    if (attempt < 0 || failedAttempts < 0 || lostWorkers < 0) {
      throw new IllegalArgumentException("counters must not be negative");
    }
    if (index < 0 && origin == Origin.SCHEDULE) {
      throw new IllegalArgumentException("the schedule's sub-tasks count from 0, not " + index);
    }
    if (runAt.isBefore(dueAt)) {
      throw new IllegalArgumentException("runAt " + runAt + " is before dueAt " + dueAt);
    }
  }

  /**
   * What every attempt of a sub-task carries, so that its effect can be made to happen once; also
   * the sub-task's identity in the archive.
   */
  public static String idempotencyKey(TaskId task, long index) {
    return task + "_" + index;
  }

  /** A sub-task as it is generated. */
  static SubTask scheduled(long index, Instant dueAt, Instant runAt) {
    return waiting(index, Origin.SCHEDULE, Optional.empty(), dueAt, runAt);
  }

  static SubTask waiting(
      long index, Origin origin, Optional<KeyedRequest> request, Instant dueAt, Instant runAt) {
    return new SubTask(
        index,
        origin,
        request,
        dueAt,
        runAt,
        SubTaskStatus.SCHEDULED,
        0,
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  SubTask pending(String queue, Instant now) {
    return with(SubTaskStatus.PENDING, Optional.of(new Parked(queue, now)), run, error);
  }

  SubTask unparked() {
    return with(SubTaskStatus.SCHEDULED, Optional.empty(), run, error);
  }

  SubTask running(String worker, Instant now) {
    Run started = new Run(worker, now, Optional.empty(), Duration.between(runAt, now));
    return new SubTask(
        index,
        origin,
        request,
        dueAt,
        runAt,
        SubTaskStatus.RUNNING,
        attempt + 1,
        failedAttempts,
        lostWorkers,
        Optional.empty(),
        Optional.of(started),
        error);
  }

  /** The sub-task after an attempt that was not its last. */
  SubTask repeatAt(Instant runAgainAt, int failed, int lost, String why, Instant now) {
    return new SubTask(
        index,
        origin,
        request,
        dueAt,
        runAgainAt,
        SubTaskStatus.SCHEDULED,
        attempt,
        failed,
        lost,
        Optional.empty(),
        run.map(r -> r.finished(now)),
        Optional.of(why));
  }

  SubTask succeeded(Instant now) {
    return with(
        SubTaskStatus.SUCCEEDED, Optional.empty(), run.map(r -> r.finished(now)), Optional.empty());
  }

  SubTask failed(int failed, int lost, String why, Instant now) {
    return new SubTask(
        index,
        origin,
        request,
        dueAt,
        runAt,
        SubTaskStatus.FAILED,
        attempt,
        failed,
        lost,
        Optional.empty(),
        run.map(r -> r.finished(now)),
        Optional.of(why));
  }

  /** The sub-task as never begun, and not to be. */
  SubTask skipped(String why) {
    return new SubTask(
        index,
        origin,
        request,
        dueAt,
        runAt,
        SubTaskStatus.SKIPPED,
        0,
        failedAttempts,
        lostWorkers,
        Optional.empty(),
        Optional.empty(),
        Optional.of(why));
  }

  /** The sub-task as before an attempt that was claimed and not begun. */
  SubTask notBegun() {
    return new SubTask(
        index,
        origin,
        request,
        dueAt,
        runAt,
        SubTaskStatus.SCHEDULED,
        attempt - 1,
        failedAttempts,
        lostWorkers,
        Optional.empty(),
        Optional.empty(),
        error);
  }

  /** The sub-task, which has failed, as to be run once more, with as many attempts as a new one. */
  SubTask retriedAt(Instant runAgainAt) {
    return new SubTask(
        index,
        origin,
        request,
        dueAt,
        runAgainAt,
        SubTaskStatus.SCHEDULED,
        attempt,
        0,
        0,
        Optional.empty(),
        run,
        error);
  }

  SubTask canceled() {
    return with(SubTaskStatus.CANCELED, Optional.empty(), run, error);
  }

  private SubTask with(
      SubTaskStatus newStatus,
      Optional<Parked> newParked,
      Optional<Run> newRun,
      Optional<String> newError) {
    return new SubTask(
        index,
        origin,
        request,
        dueAt,
        runAt,
        newStatus,
        attempt,
        failedAttempts,
        lostWorkers,
        newParked,
        newRun,
        newError);
  }
}
