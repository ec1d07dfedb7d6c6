package dev.carillon.explain;

import dev.carillon.task.SubTask;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What has become, or is to become, of one instant of a task.
 *
 * @param text the same in plain English, and what happens next: one or two sentences, or three
 * @param subTask the sub-task that was made for the instant, if there is one
 * @param waitsFor what has to happen for it to go on, if that is more than time going by
 * @param nextStepAt when something is to happen by itself, if that is known
 * @param before where nothing is or was due: the nearest time before at which something is or was
 * @param after likewise the nearest time after
 */
public record Explanation(
    Instant at,
    State state,
    String text,
    Optional<SubTask> subTask,
    Optional<WaitsFor> waitsFor,
    Optional<Instant> nextStepAt,
    Optional<Instant> before,
    Optional<Instant> after) {

  /** What is the matter, for programs. */
  public enum State {
    /** The schedule has no such instant, or leaves it out. */
    NEVER_DUE,
    /** It had passed when the task was created. */
    BEFORE_CREATION,
    /** The schedule has it as it is now, and was another one then. */
    FORMER_SCHEDULE,
    /** It ended so long ago that it is not kept any more. */
    GONE,
    /** It will get a sub-task, or would if the task were not paused. */
    NOT_GENERATED,
    /** It has a sub-task, which is to be parked later. */
    GENERATED,
    /** A notice of it is in a pending queue, as far as is known. */
    PARKED,
    /** It is due and nobody has claimed it yet. */
    WAITING,
    /** A worker has claimed it. */
    RUNNING,
    /** An attempt did not succeed, and another is to come. */
    RETRYING,
    /** Its task is paused. */
    PAUSED,
    /** It was run. */
    SUCCEEDED,
    /** Its attempts are used up. */
    FAILED,
    /** It was not run, and will not be. */
    SKIPPED,
    /** It was called off. */
    CANCELED
  }

  /** What has to happen. */
  public enum WaitsFor {
    /** A worker has to claim it. */
    WORKER,
    /** RabbitMQ has to come back. */
    BROKER,
    /** A worker's sweep has to park it or to take it over. */
    SWEEP,
    /** The sub-tasks before it have to end. */
    EARLIER_SUB_TASK,
    /** Fewer runs with its concurrency key have to be on. */
    CONCURRENCY_KEY,
    /** Somebody has to resume the task. */
    RESUME
  }

  public Explanation {
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(subTask, "subTask");
    Objects.requireNonNull(waitsFor, "waitsFor");
    Objects.requireNonNull(nextStepAt, "nextStepAt");
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(after, "after");
  }

  static Explanation of(Instant at, State state, String text) {
    return new Explanation(
        at,
        state,
        text,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  Explanation adding(String sentences) {
    return new Explanation(
        at, state, text + sentences, subTask, waitsFor, nextStepAt, before, after);
  }

  Explanation about(SubTask one) {
    return new Explanation(at, state, text, Optional.of(one), waitsFor, nextStepAt, before, after);
  }

  Explanation waitingFor(WaitsFor what) {
    return new Explanation(at, state, text, subTask, Optional.of(what), nextStepAt, before, after);
  }

  Explanation until(Instant nextStep) {
    return new Explanation(
        at, state, text, subTask, waitsFor, Optional.of(nextStep), before, after);
  }

  Explanation between(Optional<Instant> earlier, Optional<Instant> later) {
    return new Explanation(at, state, text, subTask, waitsFor, nextStepAt, earlier, later);
  }
}
