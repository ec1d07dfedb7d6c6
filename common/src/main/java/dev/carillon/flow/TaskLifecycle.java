package dev.carillon.flow;

import dev.carillon.definition.DefinitionEdit;
import dev.carillon.form.Problem;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.TaskStore;
import dev.carillon.store.UnreadableTaskException;
import dev.carillon.task.Chain;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** What users do with tasks. Thread-safe. */
public final class TaskLifecycle {

  /** What became of a wish to cancel. */
  public enum CancelAnswer {
    /** It is canceled now, or was already: nothing of it starts any more. */
    CANCELED,
    /** There is no such task. */
    UNKNOWN,
    /** Its last sub-task has ended; there is nothing left to cancel. */
    FINISHED
  }

  /** What became of a wish to create the task that an idempotency key stands for. */
  public sealed interface KeyedAnswer {

    /**
     * The task is there, by this wish or by an earlier one.
     *
     * @param task as it is now
     */
    record Created(Task task) implements KeyedAnswer {}

    /** The key stands for another request. */
    record OtherRequest() implements KeyedAnswer {}

    /** The schedule has no instant left. The key is not taken. */
    record NoInstantLeft() implements KeyedAnswer {}
  }

  private final TaskStore store;
  private final Chain chain;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final SchedulerMetrics metrics;
  private final Parker parker;
  private final NewTasks newTasks;
  private final Reparking reparking;

  /**
   * @param random for new ids; thread-safe
   * @param soon runs what it is given a few seconds later
   */
  public TaskLifecycle(Ports ports, RandomGenerator random, Executor soon) {
    this.store = ports.store();
    this.chain = ports.chain();
    this.clock = ports.clock();
    this.metrics = ports.metrics();
    this.random = random;
    this.parker = new Parker(ports);
    this.newTasks = new NewTasks(ports);
    this.reparking = new Reparking(ports, soon);
  }

  /**
   * Stores a new task and parks its first sub-task. When this returns, the task is not lost any
   * more; if the broker is away, a sweep parks the sub-task later.
   *
   * @return empty when the schedule has no instant left
   */
  public Optional<Task> create(TaskDefinition definition) {
    Instant now = clock.instant();
    Optional<Task> task = chain.create(TaskId.create(now, random), definition, now);
    task.ifPresent(
        created -> {
          store.insert(created);
          begin(created);
        });
    return task;
  }

  /**
   * A task as {@link #insertAll} takes it; empty when the schedule has no instant left.
   *
   * @param asOf the present for which it is planned
   */
  Optional<Task> plan(TaskId id, TaskDefinition definition, Instant asOf) {
    return chain.create(id, definition, asOf);
  }

  /**
   * Stores planned tasks and parks their first sub-tasks, each unless there is one with its id.
   *
   * @return for each whether it was not there yet
   */
  List<Boolean> insertAll(List<Task> planned) {
    return newTasks.insertAll(planned);
  }

  private void begin(Task created) {
    metrics.taskCreated();
    parker.park(List.of(created));
  }

  /**
   * Like {@link #create(TaskDefinition)}, but however often the same request is made with the same
   * key, and by however many at a time, there is one task. If an earlier wish was broken off after
   * the key was taken, this one brings it to its end: the task is the same as if it had not been.
   *
   * @param fingerprint the same for the same request
   * @param asOf the definition when the request is read at that instant; pure, and throws if it
   *     cannot be accepted, which comes out of here
   */
  public KeyedAnswer create(
      String key, String fingerprint, Function<Instant, TaskDefinition> asOf) {
    Instant now = clock.instant();
    Optional<KeyedCreation> earlier = store.findKeyed(key, now);
    KeyedCreation creation =
        earlier.orElseGet(
            () -> new KeyedCreation(key, fingerprint, TaskId.create(now, random), now));
    if (!creation.fingerprint().equals(fingerprint)) {
      return new KeyedAnswer.OtherRequest();
    }
    Optional<Task> planned = plan(creation, asOf);
    if (planned.isEmpty()) {
      return new KeyedAnswer.NoInstantLeft();
    }
    if (earlier.isEmpty()) { // after planning, so that a request that is refused takes no key
      KeyedCreation taken = store.takeKey(creation);
      if (!taken.equals(creation)) { // somebody was faster, and their task is the one
        return create(key, fingerprint, asOf);
      }
    }
    // also if it may be there already: the answer is a promise that it is, and safe
    if (store.insert(planned.get())) {
      begin(planned.get());
      return new KeyedAnswer.Created(planned.get());
    }
    return new KeyedAnswer.Created(store.find(creation.task()).orElseThrow());
  }

  private Optional<Task> plan(KeyedCreation creation, Function<Instant, TaskDefinition> asOf) {
    Instant at = creation.takenAt();
    return chain.create(creation.task(), asOf.apply(at), at);
  }

  /**
   * Calls a task off. After {@link CancelAnswer#CANCELED} no sub-task of it starts; one that runs
   * already may end. A task that cannot be read is removed.
   */
  public CancelAnswer cancel(TaskId id) {
    while (true) {
      Optional<Task> found;
      try {
        found = store.find(id);
      } catch (UnreadableTaskException unreadable) {
        if (store.discardUnreadable(id)) {
          return CancelAnswer.CANCELED;
        }
        continue; // it has just been corrected, changed or removed
      }
      if (found.isEmpty()) {
        return CancelAnswer.UNKNOWN;
      }
      Task task = found.get();
      if (task.status() == TaskStatus.FINISHED) {
        return CancelAnswer.FINISHED;
      }
      if (task.status() == TaskStatus.CANCELED) {
        return CancelAnswer.CANCELED;
      }
      Task canceled = chain.cancel(task, clock.instant());
      if (reparking.exchange(task, canceled)) {
        metrics.taskCanceled();
        return CancelAnswer.CANCELED;
      }
    }
  }

  /** What became of a wish to edit. */
  public sealed interface EditAnswer {

    /** Done. */
    record Edited(Task task) implements EditAnswer {}

    /** There is no such task. */
    record Unknown() implements EditAnswer {}

    /** It has finished or was canceled: nothing can change it any more. */
    record Final(Task task) implements EditAnswer {}

    /** It has been edited since it was looked at. */
    record Changed(Task task) implements EditAnswer {}

    /** The edit makes no task of it. */
    record Refused(List<Problem> problems) implements EditAnswer {}
  }

  /**
   * Changes a task in one step, pausing and resuming included. What waits by the old plan is taken
   * away; from when this returns nothing of it starts.
   *
   * @param revision which the task must have; empty if it does not matter
   */
  public EditAnswer edit(TaskId id, DefinitionEdit edit, OptionalLong revision) {
    while (true) {
      Optional<Task> found = store.find(id);
      if (found.isEmpty()) {
        return new EditAnswer.Unknown();
      }
      Task task = found.get();
      if (revision.isPresent() && revision.getAsLong() != task.revision()) {
        return new EditAnswer.Changed(task);
      }
      if (task.status().isFinal()) {
        return new EditAnswer.Final(task);
      }
      Instant now = clock.instant();
      DefinitionEdit.Edited wanted = edit.applyTo(task.definition(), now);
      if (wanted.definition().isEmpty()) {
        return new EditAnswer.Refused(wanted.problems());
      }
      boolean paused = wanted.paused().orElse(task.status() == TaskStatus.PAUSED);
      Task edited = chain.edit(task, wanted.definition().get(), paused, now);
      if (reparking.exchange(task, edited)) {
        return new EditAnswer.Edited(store.find(id).orElse(edited));
      }
    }
  }

  /** What became of a wish to replace. */
  sealed interface ReplaceAnswer {

    /** Done. */
    record Replaced(Task task) implements ReplaceAnswer {}

    /**
     * A run of it has begun, is to be tried again, or was asked for in particular: what that does
     * cannot become another thing. Or what it is to become is due by now.
     */
    record Begun() implements ReplaceAnswer {}

    /** There is no such task, or it has ended. */
    record Over() implements ReplaceAnswer {}
  }

  /**
   * Has a task that waits, paused or not, be another one from now on, in one step: nothing of what
   * it was before starts any more.
   */
  ReplaceAnswer replace(TaskId id, TaskDefinition definition) {
    while (true) {
      Optional<Task> found = store.find(id);
      if (found.isEmpty() || found.get().status().isFinal()) {
        return new ReplaceAnswer.Over();
      }
      Task task = found.get();
      Instant now = clock.instant();
      if (hasBegun(task) || definition.isOver(now)) {
        return new ReplaceAnswer.Begun();
      }
      Task replaced = chain.edit(task, definition, false, now);
      if (reparking.exchange(task, replaced)) {
        return new ReplaceAnswer.Replaced(store.find(id).orElse(replaced));
      }
    }
  }

  private static boolean hasBegun(Task task) {
    return !task.leases().isEmpty()
        || task.live().filter(live -> live.attempt() > 0).isPresent()
        || task.extras().subTasks().stream().anyMatch(extra -> !extra.status().isFinished())
        || !task.extras().backfills().isEmpty();
  }
}
