package dev.carillon.task;

import dev.carillon.task.Parking.Arming;
import dev.carillon.task.Parking.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what comes next in a task's chain. Every method takes a task as it is and gives the task
 * as it should be; the caller stores the exchange and, when the result has a live sub-task that is
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

  /** Longest pause between two looks at a parked sub-task that shows no sign of life. */
  static final Duration LONGEST_GRACE = Duration.ofMinutes(1);

  private final Parking parking;
  private final Settings settings;

  public Chain(Parking parking, Settings settings) {
    this.parking = parking;
    this.settings = settings;
  }

  /** A new task with its first sub-task armed; empty when its schedule has nothing left to do. */
  public Optional<Task> create(TaskId id, TaskDefinition definition, Instant now) {
    ChainDraft draft = ChainDraft.ofNew(id, definition, now);
    draft.generate(now, settings.generatedAhead());
    if (draft.live().isEmpty()) {
      return Optional.empty();
    }
    arm(draft, now);
    return Optional.of(draft.build());
  }

  /**
   * The live sub-task has been claimed and starts now. Stores do this by themselves as part of
   * claiming; it is stated here so that all of them do the same.
   *
   * @param leaseUntil when the claim ends unless it is extended
   */
  public static Task start(Task task, Claim claim, Instant now, Instant leaseUntil) {
    ChainDraft draft = ChainDraft.of(task, now);
    draft.replaceLive(live(task).running(claim.worker(), now));
    draft.claim = Optional.of(claim);
    draft.wakeAt = Optional.of(leaseUntil);
    return draft.build();
  }

  /**
   * The attempt under the task's claim has ended: record it and arm what comes next, which is
   * another attempt or the next sub-task. The task must hold a claim.
   */
  public Task complete(Task task, Outcome outcome, Instant now) {
    SubTask live = live(task);
    if (task.claim().isEmpty()) {
      throw new IllegalArgumentException(task.id() + " has no claim to complete");
    }
    ChainDraft draft = ChainDraft.of(task, now);
    draft.claim = Optional.empty();
    if (outcome instanceof Outcome.Succeeded) {
      draft.finishLive(live.succeeded(now));
      armNext(draft, now);
    } else if (outcome instanceof Outcome.Failed failed) {
      int failures = live.failedAttempts() + 1;
      RetryPolicy retry = task.definition().retry();
      if (failed.retryable() && retry.allowsAnotherAfter(failures)) {
        Instant again = now.plus(delay(task, live, failed, failures));
        repeat(draft, live.repeatAt(again, failures, live.lostWorkers(), failed.error(), now), now);
      } else {
        draft.finishLive(live.failed(failures, live.lostWorkers(), failed.error(), now));
        armNext(draft, now);
      }
    } else if (outcome instanceof Outcome.Missed) {
      repeat(draft, live.notBegun(), now);
    } else {
      String why = "handed back: " + task.claim().get().worker() + " stopped";
      repeat(
          draft,
          live.repeatAt(
              later(live.runAt(), now), live.failedAttempts(), live.lostWorkers(), why, now),
          now);
    }
    return draft.build();
  }

  private static Duration delay(Task task, SubTask live, Outcome.Failed failed, int failures) {
    String key = SubTask.idempotencyKey(task.id(), live.index());
    Duration byPolicy = task.definition().retry().delayAfter(failures, key);
    Duration wanted = failed.retryAfter().orElse(Duration.ZERO);
    Duration heeded = wanted.compareTo(LONGEST_HEEDED) < 0 ? wanted : LONGEST_HEEDED;
    return heeded.compareTo(byPolicy) > 0 ? heeded : byPolicy;
  }

  /**
   * Whether the live sub-task of a task that has just been started is so late that it is not to be
   * run; then {@link Outcome.Missed} is its outcome.
   */
  public static boolean isToBeSkipped(Task started) {
    SubTask live = live(started);
    Instant startedAt = live.run().orElseThrow().startedAt();
    if (live.attempt() != 1) {
      return false;
    }
    ChainDraft draft = ChainDraft.of(started, startedAt);
    draft.replaceLive(live.notBegun());
    return draft.surplusMissed() > 0;
  }

  /**
   * Calls the whole task off. A sub-task that runs is left to end by itself; none starts any more.
   * The task must not be final.
   */
  public Task cancel(Task task, Instant now) {
    if (task.status().isFinal()) {
      throw new IllegalArgumentException(task.id() + " is " + task.status());
    }
    ChainDraft draft = ChainDraft.of(task, now);
    draft.status = TaskStatus.CANCELED;
    draft.cancelRest();
    if (task.claim().isEmpty()) {
      draft.wakeAt = Optional.empty();
    }
    return draft.build();
  }

  /**
   * A user has changed the task, in one step. A sub-task that has begun goes on as it was planned;
   * what was planned after it is planned anew if the schedule has changed, with the indices going
   * on. Pausing takes what waits out of the chain's way; resuming follows the misfire policy for
   * what was missed meanwhile, or finishes the task if its schedule has come to its end. The task
   * must not be final.
   *
   * @param paused whether the task is to be paused from now on
   */
  public Task edit(Task task, TaskDefinition definition, boolean paused, Instant now) {
    if (task.status().isFinal()) {
      throw new IllegalArgumentException(task.id() + " is " + task.status());
    }
    boolean wasPaused = task.status() == TaskStatus.PAUSED;
    boolean isPlannedAnew = !definition.schedule().equals(task.definition().schedule());
    boolean isMovedUpOrDown = definition.priority() != task.definition().priority();
    ChainDraft draft = ChainDraft.edited(task, definition, now);
    draft.status = paused ? TaskStatus.PAUSED : TaskStatus.ACTIVE;
    boolean liveHasBegun = live(task).attempt() > 0;
    if (isPlannedAnew) {
      draft.planAnew(liveHasBegun, settings.generatedAhead());
    }
    if (task.claim().isPresent()) {
      return draft.build(); // its end will bring what comes next
    }
    boolean isOver = definition.schedule().next(now).isEmpty();
    if (draft.live().isEmpty()) {
      draft.status = TaskStatus.FINISHED;
      draft.wakeAt = Optional.empty();
    } else if (paused) {
      draft.replaceLive(draft.live().orElseThrow().unparked());
      draft.wakeAt = Optional.empty();
    } else if (wasPaused && !isPlannedAnew && isOver) {
      draft.skipRest("the task was paused until after its end");
      draft.status = TaskStatus.FINISHED;
      draft.wakeAt = Optional.empty();
    } else if (wasPaused || (isPlannedAnew && !liveHasBegun) || isMovedUpOrDown) {
      draft.replaceLive(draft.live().orElseThrow().unparked());
      catchUp(draft, now);
    }
    return draft.build();
  }

  /**
   * The live sub-task could not be parked: it waits in the store, and the next sweep parks it. The
   * task must be waiting, not running.
   */
  public Task unpark(Task task, Instant now) {
    ChainDraft draft = ChainDraft.of(task, now);
    draft.replaceLive(live(task).unparked());
    draft.wakeAt = Optional.of(now);
    return draft.build();
  }

  /**
   * The task's wake-up time has passed: put right whatever is the matter. That is a sub-task that
   * has come within the horizon, a notice that got lost, or a worker that fell silent.
   */
  public Task wake(Task task, Instant now) {
    ChainDraft draft = ChainDraft.of(task, now);
    SubTask live = live(task);
    if (task.claim().isPresent()) {
      takeOver(draft, live, task.claim().get(), now);
    } else if (live.status() == SubTaskStatus.PENDING && draft.surplusMissed() == 0) {
      // the same arming, so that the notice still counts if it is only late
      draft.wakeAt = Optional.of(now.plus(graceAfter(Duration.between(live.runAt(), now))));
    } else {
      catchUp(draft, now);
    }
    return draft.build();
  }

  private void takeOver(ChainDraft draft, SubTask live, Claim lost, Instant now) {
    int lostWorkers = live.lostWorkers() + 1;
    String why = "worker " + lost.worker() + " fell silent during attempt " + live.attempt();
    draft.claim = Optional.empty();
    if (draft.status != TaskStatus.CANCELED && lostWorkers < settings.lostWorkersLimit()) {
      repeat(draft, live.repeatAt(now, live.failedAttempts(), lostWorkers, why, now), now);
    } else {
      draft.finishLive(live.failed(live.failedAttempts(), lostWorkers, why, now));
      armNext(draft, now);
    }
  }

  private void repeat(ChainDraft draft, SubTask again, Instant now) {
    if (draft.status == TaskStatus.CANCELED) {
      draft.finishLive(again.canceled());
      draft.wakeAt = Optional.empty();
      return;
    }
    draft.replaceLive(again);
    catchUp(draft, now);
  }

  private void armNext(ChainDraft draft, Instant now) {
    draft.cursor++;
    if (draft.status == TaskStatus.CANCELED) {
      draft.wakeAt = Optional.empty();
      return;
    }
    catchUp(draft, now);
  }

  /**
   * Skips what was missed and is not to be made up for, and arms what is left. After a long time
   * that is done in several steps, each of which brings the next.
   */
  private void catchUp(ChainDraft draft, Instant now) {
    draft.letGo(settings);
    draft.generateAhead(settings);
    int surplus = draft.status == TaskStatus.ACTIVE ? draft.surplusMissed() : 0;
    for (int i = 0; i < Math.min(surplus, MOST_SKIPPED_AT_ONCE); i++) {
      draft.skipLive();
      draft.generateAhead(settings);
    }
    if (surplus > MOST_SKIPPED_AT_ONCE) {
      draft.replaceLive(draft.live().orElseThrow().unparked());
      draft.wakeAt = Optional.of(now);
    } else if (draft.live().isEmpty()) {
      draft.status = TaskStatus.FINISHED;
      draft.wakeAt = Optional.empty();
    } else if (draft.status == TaskStatus.ACTIVE) {
      arm(draft, now);
    } else {
      draft.wakeAt = Optional.empty();
    }
  }

  private void arm(ChainDraft draft, Instant now) {
    SubTask live = draft.live().orElseThrow();
    draft.token++;
    Arming arming =
        new Arming(draft.id(), live.index(), live.attempt() + 1, live.runAt(), draft.token);
    Place place = parking.placeFor(arming, now);
    if (place instanceof Place.InQueue queue) {
      draft.replaceLive(live.pending(queue.name(), now));
      draft.wakeAt = Optional.of(later(live.runAt(), now).plus(settings.grace()));
    } else if (place instanceof Place.InStore store) {
      draft.replaceLive(live.unparked());
      draft.wakeAt = Optional.of(store.until());
    }
  }

  /**
   * The longer nothing has happened the longer the next wait: a busy system is not a broken one.
   */
  private Duration graceAfter(Duration overdue) {
    Duration longer = overdue.compareTo(settings.grace()) > 0 ? overdue : settings.grace();
    Duration cap = settings.grace().compareTo(LONGEST_GRACE) > 0 ? settings.grace() : LONGEST_GRACE;
    return longer.compareTo(cap) < 0 ? longer : cap;
  }

  private static SubTask live(Task task) {
    return task.live()
        .orElseThrow(() -> new IllegalArgumentException(task.id() + " has no live sub-task"));
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }
}
