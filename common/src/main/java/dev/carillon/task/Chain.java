package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what comes next in a task's chain. Every method takes a task as it is and gives the task
 * as it should be; the caller stores the exchange and, when the result has a sub-task that is
 * PENDING, parks its notice.
 *
 * <p>Pure: the present is an argument, nothing is read or written, the same arguments give the same
 * result, but for the place where a firing waits, which {@link Parking} chooses. Thread-safe.
 */
public final class Chain {

  /**
   * What an operator can set.
   *
   * @param grace how long after its start time a parked sub-task may show no sign of life before it
   *     is looked after
   * @param generatedAhead how many sub-tasks are generated ahead; also the size up to which a
   *     task's window keeps all of its sub-tasks
   * @param keptFinished how many finished sub-tasks at least stay in the window of a longer task
   * @param lostWorkersLimit after how many lost workers a sub-task is given up
   */
  public record Settings(
      Duration grace, int generatedAhead, int keptFinished, int lostWorkersLimit) {

    public static final Settings DEFAULT = new Settings(Duration.ofSeconds(5), 100, 20, 5);

    public Settings {
      if (!(grace.compareTo(Duration.ZERO) > 0)) {
        throw new IllegalArgumentException("grace must be positive");
      }
      if (generatedAhead < 1 || keptFinished < 0 || lostWorkersLimit < 1) {
        throw new IllegalArgumentException("window and limit must be positive");
      }
    }
  }

  /** How many missed sub-tasks are skipped in one exchange: it must stay small. */
  static final int MOST_SKIPPED_AT_ONCE = 200;

  /** Longest wait that the other side can ask for. */
  static final Duration LONGEST_HEEDED = Duration.ofDays(1);

  /** Shortest and longest pause before what waits in line is tried again by itself. */
  private static final Duration SHORTEST_TRY = Duration.ofSeconds(10);

  private static final Duration LONGEST_TRY = Duration.ofMinutes(1);

  /** How many extras of a task may wait or run at a time. */
  public static final int MOST_EXTRAS = 100;

  /** How many ranges of a task may be waiting to be run. */
  public static final int MOST_BACKFILLS = 10;

  private final Settings settings;
  private final Settlement settlement;

  public Chain(Parking parking, Settings settings) {
    this.settings = settings;
    this.settlement = new Settlement(parking, settings);
  }

  /** A new task with its first sub-task armed; empty when its schedule has nothing left to do. */
  public Optional<Task> create(TaskId id, TaskDefinition definition, Instant now) {
    ChainDraft draft = ChainDraft.ofNew(id, definition, now);
    draft.generate(now, settings.generatedAhead());
    return draft.atCursor().isEmpty() ? Optional.empty() : Optional.of(settlement.of(draft));
  }

  /**
   * The sub-task at the cursor has been claimed and starts now, of a task that is {@linkplain
   * Task#isStartedByClaim started by that}. Stores do this by themselves as part of claiming; it is
   * stated here so that all of them do the same.
   *
   * @param leaseUntil when the claim ends unless it is extended
   */
  public static Task start(Task task, Claim claim, Instant now, Instant leaseUntil) {
    ChainDraft draft = ChainDraft.of(task, now);
    draft.start(draft.atCursor().orElseThrow(), claim, leaseUntil);
    draft.wakeAt = Optional.of(leaseUntil);
    return draft.build();
  }

  /**
   * The sub-task that comes next starts now, and what may start beside it is armed. If that
   * sub-task is not to be run any more, it is skipped instead, with what else there is to skip, and
   * the result is not held by the claim.
   *
   * @param claim for the task's latest arming
   * @param leaseUntil when the claim ends unless it is extended
   */
  public Task begin(Task task, Claim claim, Instant now, Instant leaseUntil) {
    SubTask next = task.next().orElseThrow(() -> nothingToStart(task));
    ChainDraft draft = ChainDraft.of(task, now);
    boolean isToBeSkipped =
        next.index() == task.cursor() && draft.reasonToSkip(draft.surplusMissed()).isPresent();
    if (!isToBeSkipped) {
      draft.start(next, claim, leaseUntil);
    }
    return settlement.of(draft);
  }

  /**
   * The sub-task that comes next is due, but so many runs with its task's key are on that it may
   * not start: it waits in the store until somebody {@linkplain #wake wakes} it, for whom there is
   * room then. In case nobody does, it is tried again after a while, which is the longer the longer
   * it has waited.
   */
  public Task waitInLine(Task task, Instant now) {
    SubTask next = task.next().orElseThrow(() -> nothingToStart(task));
    Duration waited = Duration.between(next.runAt(), now);
    Duration atLeast = waited.compareTo(SHORTEST_TRY) > 0 ? waited : SHORTEST_TRY;
    Duration pause = atLeast.compareTo(LONGEST_TRY) < 0 ? atLeast : LONGEST_TRY;
    ChainDraft draft = ChainDraft.of(task, now);
    draft.unparkAllBut(Optional.empty());
    draft.inLineSince = Optional.of(next.runAt());
    draft.wakeAt =
        task.leases().stream()
            .map(Lease::until)
            .reduce((a, b) -> a.isBefore(b) ? a : b)
            .filter(end -> end.isBefore(now.plus(pause)))
            .or(() -> Optional.of(now.plus(pause)));
    return draft.build();
  }

  private static IllegalArgumentException nothingToStart(Task task) {
    return new IllegalArgumentException(task.id() + " has nothing to start");
  }

  /** {@link #complete(Task, Claim, Outcome, Instant)} for the claim of what runs alone. */
  public Task complete(Task task, Outcome outcome, Instant now) {
    return complete(task, task.claim().orElseThrow(() -> noClaim(task)), outcome, now);
  }

  /**
   * The attempt under the given claim, which the task must hold, has ended: record it and arm what
   * comes next, which may be another attempt of it.
   */
  public Task complete(Task task, Claim claim, Outcome outcome, Instant now) {
    Lease lease = task.lease(claim).orElseThrow(() -> noClaim(task));
    SubTask run = task.subTask(lease.index()).orElseThrow();
    ChainDraft draft = ChainDraft.of(task, now);
    draft.leases.remove(lease);
    if (outcome instanceof Outcome.Succeeded) {
      finish(draft, run, run.succeeded(now));
    } else if (outcome instanceof Outcome.Failed failed) {
      int failures = run.failedAttempts() + 1;
      RetryPolicy retry = task.definition().retry();
      if (failed.retryable() && retry.allowsAnotherAfter(failures)) {
        Instant again = now.plus(delay(task, run, failed, failures));
        repeat(draft, run, run.repeatAt(again, failures, run.lostWorkers(), failed.error(), now));
      } else {
        finish(draft, run, run.failed(failures, run.lostWorkers(), failed.error(), now));
      }
    } else if (outcome instanceof Outcome.Missed) {
      if (run.index() == draft.cursor) {
        repeat(draft, run, run.notBegun()); // skipped with what else there is to skip
      } else {
        finish(draft, run, run.skipped(task.definition().misfire().reason(run, now)));
      }
    } else if (outcome instanceof Outcome.Withdrawn) {
      repeat(draft, run, run.notBegun());
    } else {
      String why = "handed back: " + claim.worker() + " stopped";
      Instant again = later(run.runAt(), now);
      repeat(draft, run, run.repeatAt(again, run.failedAttempts(), run.lostWorkers(), why, now));
    }
    return settlement.of(draft);
  }

  private static IllegalArgumentException noClaim(Task task) {
    return new IllegalArgumentException(task.id() + " does not have the claim to complete");
  }

  private static Duration delay(Task task, SubTask run, Outcome.Failed failed, int failures) {
    String key = SubTask.idempotencyKey(task.id(), run.index());
    Duration byPolicy = task.definition().retry().delayAfter(failures, key);
    Duration wanted = failed.retryAfter().orElse(Duration.ZERO);
    Duration heeded = wanted.compareTo(LONGEST_HEEDED) < 0 ? wanted : LONGEST_HEEDED;
    return heeded.compareTo(byPolicy) > 0 ? heeded : byPolicy;
  }

  private static void finish(ChainDraft draft, SubTask run, SubTask finished) {
    draft.finish(finished);
    // one that was repeated has been on all the time: the chain has waited for it
    boolean hasWaited = run.attempt() > 1 && run.index() == draft.cursor;
    draft.addBusy(hasWaited ? draft.plannedAt(run) : startOf(run));
  }

  private static void repeat(ChainDraft draft, SubTask run, SubTask again) {
    if (draft.status == TaskStatus.CANCELED) {
      draft.finish(again.canceled());
      return;
    }
    draft.replace(again);
    if (run.index() != draft.cursor) { // nothing waits for it
      draft.addBusy(startOf(run));
    }
  }

  private static Instant startOf(SubTask run) {
    return run.run().orElseThrow().startedAt();
  }

  /**
   * Whether the sub-task of a task that has just been {@linkplain #start started} is so late that
   * it is not to be run; then {@link Outcome.Missed} is its outcome.
   */
  public static boolean isToBeSkipped(Task started) {
    Optional<SubTask> run =
        started
            .subTask(started.cursor())
            .filter(s -> s.status() == SubTaskStatus.RUNNING && s.attempt() == 1);
    if (run.isEmpty()) {
      return false;
    }
    ChainDraft draft = ChainDraft.of(started, startOf(run.get()));
    draft.replace(run.get().notBegun());
    return draft.surplusMissed() > 0;
  }

  /**
   * Calls the whole task off. What runs is left to end by itself; nothing starts any more. The task
   * must not be final.
   */
  public Task cancel(Task task, Instant now) {
    requireNotFinal(task);
    ChainDraft draft = ChainDraft.of(task, now);
    draft.status = TaskStatus.CANCELED;
    draft.cancelRest();
    return settlement.of(draft);
  }

  /**
   * A user has changed the task, in one step. A sub-task that has begun goes on as it was planned;
   * what was planned after it is planned anew if the schedule has changed, with the indices going
   * on; an instant that was canceled alone stays canceled if the schedule still has it. Pausing
   * takes what waits out of the chain's way; resuming follows the misfire policy for what was
   * missed meanwhile, or finishes the task if the end of its schedule has passed. Triggered runs
   * are not concerned by either. The task must not be final.
   *
   * @param paused whether the task is to be paused from now on
   */
  public Task edit(Task task, TaskDefinition definition, boolean paused, Instant now) {
    requireNotFinal(task);
    boolean isResumed = task.status() == TaskStatus.PAUSED && !paused;
    boolean isPlannedAnew = !definition.schedule().equals(task.definition().schedule());
    boolean isMovedUpOrDown = definition.priority() != task.definition().priority();
    ChainDraft draft = ChainDraft.edited(task, definition, now);
    draft.status = paused ? TaskStatus.PAUSED : TaskStatus.ACTIVE;
    if (definition.overlap() != Overlap.SKIP) {
      draft.busy = Optional.empty();
    }
    if (isPlannedAnew) {
      boolean hasBegun = draft.atCursor().filter(s -> s.attempt() > 0).isPresent();
      draft.planAnew(hasBegun, settings.generatedAhead());
    } else if (isResumed && definition.schedule().hasEnded(now)) {
      draft.skipRest("the task was paused until after its end");
    }
    if (isMovedUpOrDown) { // what is parked waits for the wrong queue
      draft.unparkAllBut(Optional.empty());
    }
    return settlement.of(draft);
  }

  private static void requireNotFinal(Task task) {
    if (task.status().isFinal()) {
      throw new IllegalArgumentException(task.id() + " is " + task.status());
    }
  }

  /** {@link #trigger(Task, Optional, Instant)} by a request that will not be repeated. */
  public Task trigger(Task task, Instant now) {
    return trigger(task, Optional.empty(), now);
  }

  /**
   * Somebody wants a run now, whatever the schedule says, and also if the task is paused. It is the
   * last of the task's extras. The task must not be final, nor {@linkplain #isFull full}.
   *
   * @param request which the run keeps, so that a repetition can be told
   */
  public Task trigger(Task task, Optional<KeyedRequest> request, Instant now) {
    requireNotFinal(task);
    requireRoom(task);
    ChainDraft draft = ChainDraft.of(task, now);
    draft.addExtra(Origin.TRIGGER, request, now, now);
    return settlement.of(draft);
  }

  /** Whether so many extras wait or run that no other is taken. */
  public static boolean isFull(Task task) {
    return task.extras().subTasks().stream().filter(s -> !s.status().isFinished()).count()
        >= MOST_EXTRAS;
  }

  private static void requireRoom(Task task) {
    if (isFull(task)) {
      throw new IllegalArgumentException(task.id() + " has too many extras already");
    }
  }

  /**
   * Somebody wants the instants of a past range run. They become sub-tasks one by one, each when
   * the one before has ended, and not while the task is paused. The task must not be final, nor
   * have {@value #MOST_BACKFILLS} ranges.
   */
  public Task backfill(Task task, Backfill range, Instant now) {
    requireNotFinal(task);
    if (task.extras().backfills().size() >= MOST_BACKFILLS) {
      throw new IllegalArgumentException(task.id() + " has too many ranges already");
    }
    ChainDraft draft = ChainDraft.of(task, now);
    draft.backfills.add(range);
    return settlement.of(draft);
  }

  /**
   * Somebody wants a sub-task that has failed run again, with as many attempts as a new one has. A
   * finished task is active again until it has ended, without the key that it had. The task must
   * not be canceled, nor full.
   *
   * @param failed as it is in the task, or in the archive if it is not in the task
   */
  public Task retry(Task task, SubTask failed, Instant now) {
    if (task.status() == TaskStatus.CANCELED || failed.status() != SubTaskStatus.FAILED) {
      throw new IllegalArgumentException(failed + " of " + task.id() + " is not to be run again");
    }
    requireRoom(task);
    boolean losesKey = task.status() == TaskStatus.FINISHED && task.definition().key().isPresent();
    ChainDraft draft =
        losesKey // somebody else may have it by now
            ? ChainDraft.edited(
                task, task.definition().toBuilder().key(Optional.empty()).build(), now)
            : ChainDraft.of(task, now);
    if (draft.status == TaskStatus.FINISHED) {
      draft.status = TaskStatus.ACTIVE;
    }
    draft.revive(failed, later(failed.dueAt(), now));
    return settlement.of(draft);
  }

  /** How far from the cursor a sub-task may be and still be canceled alone. */
  public static final int FARTHEST_CANCELED = 500;

  /**
   * Calls one sub-task off; the others stay as they are. It must wait, or not be generated yet and
   * not be farther than {@value #FARTHEST_CANCELED} from the cursor. The task must not be final.
   *
   * @return empty when the chain ends before the sub-task
   */
  public Optional<Task> cancelOne(Task task, long index, Instant now) {
    requireNotFinal(task);
    ChainDraft draft = ChainDraft.of(task, now);
    if (draft.atCursor().isPresent() && task.subTask(index).isEmpty() && index > task.cursor()) {
      if (index - task.cursor() > FARTHEST_CANCELED) {
        throw new IllegalArgumentException(index + " is too far from " + task.cursor());
      }
      draft.generate(now, index - task.cursor() + 1);
    }
    Optional<SubTask> found = draft.find(index);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (!found.get().status().isWaiting()) {
      throw new IllegalArgumentException(found.get() + " does not wait");
    }
    SubTask waiting = found.get();
    draft.finish(waiting.canceled());
    if (waiting.attempt() > 0 && index == draft.cursor) { // the chain has waited for it
      draft.addBusy(draft.plannedAt(waiting));
    }
    return Optional.of(settlement.of(draft));
  }

  /**
   * What comes next could not be parked: it waits in the store, and the next sweep parks it. Its
   * token stays, so that its notice counts if it was parked after all.
   */
  public Task unpark(Task task, Instant now) {
    ChainDraft draft = ChainDraft.of(task, now);
    draft.unparkAllBut(Optional.empty());
    draft.wakeAt = Optional.of(now);
    return draft.build();
  }

  /**
   * The task's wake-up time has passed: put right whatever is the matter. That is a sub-task that
   * has come within the horizon, a notice that got lost, or a worker that fell silent. A notice
   * that may only be late keeps its arming, so that it still counts.
   */
  public Task wake(Task task, Instant now) {
    ChainDraft draft = ChainDraft.of(task, now);
    for (Lease lease : task.leases()) {
      if (lease.hasEnded(now)) {
        takeOver(draft, lease, task.subTask(lease.index()).orElseThrow());
      }
    }
    return settlement.of(draft);
  }

  private void takeOver(ChainDraft draft, Lease lost, SubTask run) {
    Instant now = draft.now();
    int lostWorkers = run.lostWorkers() + 1;
    String why = "worker " + lost.claim().worker() + " fell silent during attempt " + run.attempt();
    draft.leases.remove(lost);
    if (draft.status != TaskStatus.CANCELED && lostWorkers < settings.lostWorkersLimit()) {
      repeat(draft, run, run.repeatAt(now, run.failedAttempts(), lostWorkers, why, now));
    } else {
      finish(draft, run, run.failed(run.failedAttempts(), lostWorkers, why, now));
    }
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }
}
