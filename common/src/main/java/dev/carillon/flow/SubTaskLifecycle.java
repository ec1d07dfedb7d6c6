package dev.carillon.flow;

import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Backfill;
import dev.carillon.task.Chain;
import dev.carillon.task.KeyedRequest;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What users do with single runs of a task: extra runs, runs for a time that has passed, another
 * try, and none. What is answered has been stored; if the broker is away, a sweep does the rest.
 * Thread-safe.
 */
public final class SubTaskLifecycle {

  /** Most instants of a range that is filled back. */
  public static final int MOST_FILLED_BACK = 10_000;

  /** What became of a wish that concerns a single run. */
  public sealed interface Answer {

    /**
     * Done, or it was so already.
     *
     * @param subTask as it is now
     */
    record Done(Task task, SubTask subTask) implements Answer {}

    /**
     * The range will be run.
     *
     * @param instants how many the schedule has in it
     */
    record Accepted(Task task, long instants) implements Answer {}

    /** There is no such task, or it has no such sub-task. */
    record Unknown() implements Answer {}

    /** The schedule has no instant in the range, or too many. */
    record Unusable(String problem) implements Answer {}

    /**
     * Not as things are.
     *
     * @param reason for people, without naming the task
     */
    record Refused(String reason) implements Answer {}

    /** The key stands for another request. */
    record OtherRequest() implements Answer {}
  }

  private final TaskStore store;
  private final Chain chain;
  private final InstantSource clock;
  private final Reparking reparking;

  /**
   * @param soon runs what it is given a few seconds later
   */
  public SubTaskLifecycle(Ports ports, Executor soon) {
    this.store = ports.store();
    this.chain = ports.chain();
    this.clock = ports.clock();
    this.reparking = new Reparking(ports, soon);
  }

  /** A change of a task, and the answer to give when it has been stored. */
  private record Change(Task after, Function<Task, Answer> answer) {}

  /** What is to be done with a task as it is: nothing but an answer, or a change. */
  private record Step(Optional<Answer> answer, Optional<Change> change) {

    static Step answer(Answer answer) {
      return new Step(Optional.of(answer), Optional.empty());
    }

    static Step refuse(String reason) {
      return answer(new Answer.Refused(reason));
    }

    static Step change(Task after, Function<Task, Answer> answer) {
      return new Step(Optional.empty(), Optional.of(new Change(after, answer)));
    }

    static Step change(Task after, long index) {
      return change(after, stored -> new Answer.Done(stored, stored.subTask(index).orElseThrow()));
    }
  }

  private Answer carryOut(TaskId id, Function<Task, Step> decide) {
    while (true) {
      Optional<Task> found = store.find(id);
      if (found.isEmpty()) {
        return new Answer.Unknown();
      }
      Step step = decide.apply(found.get());
      if (step.answer().isPresent()) {
        return step.answer().get();
      }
      Change change = step.change().orElseThrow();
      if (reparking.exchange(found.get(), change.after())) {
        return change.answer().apply(change.after());
      }
    }
  }

  /**
   * Runs the task once more as soon as may be, whether it is active or paused. Each call makes a
   * run of its own, but for one that repeats an earlier request: that is answered with its run.
   *
   * @param request if it may be repeated
   */
  public Answer trigger(TaskId id, Optional<KeyedRequest> request) {
    return carryOut(
        id,
        task -> {
          Optional<Made> made = request.flatMap(repeated -> madeBy(task, repeated));
          if (made.isPresent()) {
            return Step.answer(made.get().asTriggered(task, request.get()));
          }
          if (task.status().isFinal()) {
            return refuseFinal(task);
          }
          if (Chain.isFull(task)) {
            return Step.refuse(Chain.MOST_EXTRAS + " runs wait already; try again when some ended");
          }
          Task triggered = chain.trigger(task, request, clock.instant());
          return Step.change(triggered, -triggered.extras().runs());
        });
  }

  private static Step refuseFinal(Task task) {
    return Step.refuse("it is " + task.status() + ", and nothing of it runs any more");
  }

  /**
   * What an earlier request with the same key has made: a range that is not done yet, or a run,
   * which may be one of a range.
   */
  private record Made(KeyedRequest by, Optional<SubTask> run, Optional<Backfill> range) {

    Answer asTriggered(Task task, KeyedRequest repeated) {
      return run.isPresent() && by.isRepeatedBy(repeated)
          ? new Answer.Done(task, run.get())
          : new Answer.OtherRequest();
    }

    Answer asRange(Task task, Backfill repeated) {
      return by.isRepeatedBy(repeated.request().orElseThrow())
          ? new Answer.Accepted(task, instantsOf(task, range.orElse(repeated)))
          : new Answer.OtherRequest();
    }
  }

  /** In the task, or else in its archive: what left the task before it was read is there by now. */
  private Optional<Made> madeBy(Task task, KeyedRequest request) {
    Stream<Made> ranges = task.extras().backfills().stream().flatMap(range -> made(range).stream());
    Stream<Made> runs = task.extras().subTasks().stream().flatMap(run -> made(run).stream());
    Instant longAgo = request.takenAt().minus(KeyedRequest.LIFE);
    return Stream.concat(ranges, runs)
        .filter(made -> made.by().isInTheWayOf(request))
        .findFirst()
        .or(
            () ->
                store
                    .findRequested(task.id(), request.key(), longAgo)
                    .flatMap(SubTaskLifecycle::made));
  }

  private static Optional<Made> made(Backfill range) {
    return range.request().map(by -> new Made(by, Optional.empty(), Optional.of(range)));
  }

  private static Optional<Made> made(SubTask run) {
    return run.request().map(by -> new Made(by, Optional.of(run), Optional.empty()));
  }

  private static long instantsOf(Task task, Backfill range) {
    return range.count(task.definition(), MOST_FILLED_BACK + 1L);
  }

  /**
   * Runs each instant that the schedule has in a range, one after the other. A repetition of an
   * earlier request is answered, and does nothing.
   *
   * @param from the first instant, included
   * @param to the last instant, included; in the past and not before {@code from}
   * @param request if it may be repeated
   */
  public Answer backfill(TaskId id, Instant from, Instant to, Optional<KeyedRequest> request) {
    Backfill range = Backfill.of(from, to, request);
    return carryOut(
        id,
        task -> {
          Optional<Made> made = request.flatMap(repeated -> madeBy(task, repeated));
          if (made.isPresent()) {
            return Step.answer(made.get().asRange(task, range));
          }
          if (task.status().isFinal()) {
            return refuseFinal(task);
          }
          if (task.extras().backfills().size() >= Chain.MOST_BACKFILLS) {
            return Step.refuse(
                Chain.MOST_BACKFILLS + " ranges wait already; try again when some have been run");
          }
          long instants = instantsOf(task, range);
          if (instants == 0 || instants > MOST_FILLED_BACK) {
            return Step.answer(
                new Answer.Unusable(
                    instants == 0
                        ? "the schedule has no instant in this range" + firstAfter(task, range)
                        : "the schedule has more than " + MOST_FILLED_BACK + " instants in it"));
          }
          return Step.change(
              chain.backfill(task, range, clock.instant()),
              stored -> new Answer.Accepted(stored, instants));
        });
  }

  /**
   * Runs a sub-task that has failed once more, as the same sub-task. That is done once, however
   * often it is wished before the next attempt has ended.
   */
  public Answer retry(TaskId id, long index) {
    return carryOut(
        id,
        task -> {
          Optional<SubTask> subTask = find(task, index);
          if (subTask.isEmpty()) {
            return Step.answer(new Answer.Unknown());
          }
          if (task.status() == TaskStatus.CANCELED) {
            return refuseFinal(task);
          }
          SubTaskStatus status = subTask.get().status();
          if (isRetried(subTask.get())) {
            return Step.answer(new Answer.Done(task, subTask.get()));
          }
          if (status.isWaiting() && subTask.get().attempt() > 0) {
            return Step.refuse(
                "its sub-task %d is %s, not FAILED: it is tried again by itself at %s"
                    .formatted(index, status, subTask.get().runAt()));
          }
          if (status != SubTaskStatus.FAILED) {
            return Step.refuse("its sub-task " + index + " is " + status + ", not FAILED");
          }
          if (Chain.isFull(task)) {
            return Step.refuse(Chain.MOST_EXTRAS + " runs wait already; try again when some ended");
          }
          return Step.change(chain.retry(task, subTask.get(), clock.instant()), index);
        });
  }

  /**
   * Whether somebody's wish for a retry is under way already: its attempts are those of a new one.
   * Where an attempt has failed since, the policy of the task is what it waits for.
   */
  private static boolean isRetried(SubTask subTask) {
    int attemptsBefore = subTask.attempt() - (subTask.status().isWaiting() ? 0 : 1);
    return !subTask.status().isFinished()
        && attemptsBefore > 0
        && subTask.failedAttempts() == 0
        && subTask.lostWorkers() == 0;
  }

  /** Where it is: in the task, or in the archive. */
  private Optional<SubTask> find(Task task, long index) {
    return task.subTask(index)
        .or(
            () ->
                store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), index, 1)).stream()
                    .filter(subTask -> subTask.index() == index)
                    .findFirst());
  }

  /**
   * Calls one sub-task off, which waits. When this returns, it does not start any more. One that
   * was canceled before stays so.
   */
  public Answer cancel(TaskId id, long index) {
    return carryOut(id, task -> cancel(task, index));
  }

  private Step cancel(Task task, long index) {
    Optional<SubTask> subTask = find(task, index);
    if (subTask.isPresent() && subTask.get().status() == SubTaskStatus.CANCELED) {
      return Step.answer(new Answer.Done(task, subTask.get()));
    }
    if (subTask.isPresent() && !subTask.get().status().isWaiting()) {
      return Step.refuse("its sub-task " + index + " is " + subTask.get().status());
    }
    if (subTask.isEmpty() && !isToCome(task, index)) {
      return Step.answer(new Answer.Unknown());
    }
    if (task.status().isFinal()) {
      return refuseFinal(task);
    }
    if (subTask.isEmpty() && index - task.cursor() > Chain.FARTHEST_CANCELED) {
      return Step.refuse(
          "its sub-task %d is not planned yet; only the next %d can be canceled one by one"
              .formatted(index, Chain.FARTHEST_CANCELED));
    }
    return chain
        .cancelOne(task, index, clock.instant())
        .map(canceled -> Step.change(canceled, index))
        .orElseGet(() -> Step.answer(new Answer.Unknown()));
  }

  /** Whether a sub-task that is neither in the task nor in the archive is one of those ahead. */
  private static boolean isToCome(Task task, long index) {
    OptionalLong total = task.totalSubTasks();
    return index > task.cursor() && (total.isEmpty() || index < total.getAsLong());
  }

  /** Where a range that lies before all of the schedule would have to reach. */
  private static String firstAfter(Task task, Backfill range) {
    return range
        .startAfter(task.definition())
        .map(": the schedule only starts at %s"::formatted)
        .orElse("");
  }
}
