package dev.carillon.flow;

import dev.carillon.flow.TaskLifecycle.CancelAnswer;
import dev.carillon.flow.TaskLifecycle.ReplaceAnswer;
import dev.carillon.store.TaskKeys;
import dev.carillon.store.TaskKeys.Holder;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Tasks under keys that their publishers have chosen: at most one active task has a key.
 *
 * <p>A key is first held for the id of a task, then the task is inserted under it. Whoever finds a
 * key held for a task that is not there inserts their own under that very id, so it does not matter
 * whether somebody died in between or is just about to insert: one of them does, and the other
 * finds the task there. Thread-safe.
 */
public final class KeyedTasks {

  /**
   * How long a key is held for a task that is not there. Nobody takes so long to insert it: it was
   * removed at the end of its retention, and its id must not come to life again.
   */
  static final Duration ABANDONED_AFTER = Duration.ofHours(1);

  /** What became of a wish to have a task under a key. */
  public sealed interface PutAnswer {

    /** There was none; now there is this one. */
    record Created(Task task) implements PutAnswer {}

    /** The task that was waiting under the key is this one now. */
    record Replaced(Task task) implements PutAnswer {}

    /** This very task has been created already, and may have ended since. */
    record Repeated(Task task) implements PutAnswer {}

    /** Another task has the key. */
    record Taken(TaskId holder) implements PutAnswer {}

    /** The schedule has no instant left. */
    record NoInstantLeft() implements PutAnswer {}
  }

  private final TaskLifecycle lifecycle;
  private final TaskStore store;
  private final TaskKeys keys;
  private final InstantSource clock;
  private String scanned = "";

  public KeyedTasks(TaskLifecycle lifecycle, TaskStore store, TaskKeys keys, InstantSource clock) {
    this.lifecycle = lifecycle;
    this.store = store;
    this.keys = keys;
    this.clock = clock;
  }

  /** What a task is wanted to be, under a key. */
  public record Wish(String key, TaskId id, TaskDefinition definition) {

    /**
     * @param id what the task is called if it is new; one that names the wish makes it repeatable
     * @param definition with the key
     */
    public Wish {
      Objects.requireNonNull(id, "id");
      if (!definition.key().equals(Optional.of(key))) {
        throw new IllegalArgumentException("the definition has another key");
      }
    }
  }

  /** Creates a task with an id of its own, unless an active one has its key. */
  public PutAnswer create(Wish wish) {
    PutAnswer answer = put(wish, false);
    // nobody knows the id but those who look at the key: somebody else has put theirs under it
    return answer instanceof PutAnswer.Repeated repeated
        ? new PutAnswer.Taken(repeated.task().id())
        : answer;
  }

  /**
   * Creates a task, or has the one that waits under its key replaced in one step. One that has
   * begun already goes on to the end of its attempt and no further; the new one is another task
   * then.
   */
  public PutAnswer put(Wish wish) {
    return put(wish, true);
  }

  private PutAnswer put(Wish wish, boolean replaces) {
    if (lifecycle.plan(wish.id(), wish.definition()).isEmpty()) {
      return new PutAnswer.NoInstantLeft(); // before the key is taken
    }
    while (true) {
      Holder mine = new Holder(wish.key(), wish.id(), clock.instant());
      Holder holder = keys.takeFree(List.of(mine)).get(0);
      Optional<PutAnswer> answer = putUnder(holder, mine, wish, replaces);
      if (answer.isPresent()) {
        return answer.get();
      } // else somebody was faster
    }
  }

  /** Empty when things have changed meanwhile. */
  private Optional<PutAnswer> putUnder(Holder holder, Holder mine, Wish wish, boolean replaces) {
    Optional<Task> found = store.find(holder.task());
    if (found.isEmpty()) {
      return insertUnder(holder, mine, wish);
    }
    Task task = found.get();
    if (task.id().equals(wish.id())) {
      return Optional.of(new PutAnswer.Repeated(task));
    }
    if (task.status().isFinal()) {
      passOn(holder, mine);
      return Optional.empty();
    }
    return replaces ? replace(task, wish) : Optional.of(new PutAnswer.Taken(task.id()));
  }

  private Optional<PutAnswer> insertUnder(Holder holder, Holder mine, Wish wish) {
    boolean isAbandoned = holder.takenAt().plus(ABANDONED_AFTER).isBefore(clock.instant());
    if (isAbandoned && !holder.task().equals(mine.task())) {
      passOn(holder, mine);
      return Optional.empty();
    }
    Optional<Task> planned = lifecycle.plan(holder.task(), wish.definition());
    if (planned.isEmpty()) { // it was the last moment
      return Optional.of(new PutAnswer.NoInstantLeft());
    }
    return lifecycle.insert(planned.get())
        ? Optional.of(new PutAnswer.Created(planned.get()))
        : Optional.empty();
  }

  /** Whether it succeeds or not, whoever goes on looks at the key anew. */
  private void passOn(Holder holder, Holder mine) {
    keys.pass(holder, mine);
  }

  private Optional<PutAnswer> replace(Task task, Wish wish) {
    ReplaceAnswer answer = lifecycle.replace(task.id(), wish.definition());
    if (answer instanceof ReplaceAnswer.Replaced replaced) {
      return Optional.of(new PutAnswer.Replaced(replaced.task()));
    }
    if (answer instanceof ReplaceAnswer.Begun) {
      CancelAnswer unused = lifecycle.cancel(task.id()); // its key is free then
    }
    return Optional.empty();
  }

  /** The task that has the key, or had it last. */
  public Optional<Task> find(String key) {
    return keys.find(key).flatMap(holder -> store.find(holder.task()));
  }

  /** Calls off the task that has the key. */
  public CancelAnswer cancel(String key) {
    return keys.find(key)
        .map(holder -> lifecycle.cancel(holder.task()))
        .orElse(CancelAnswer.UNKNOWN);
  }

  /**
   * Frees keys whose tasks have ended; goes on where it stopped the last time.
   *
   * @param limit how many keys to look at
   */
  public synchronized void purge(int limit) {
    Instant old = clock.instant().minus(ABANDONED_AFTER.multipliedBy(2));
    List<Holder> page = keys.scan(scanned, limit);
    for (Holder holder : page) {
      boolean isOver = store.find(holder.task()).map(task -> task.status().isFinal()).orElse(true);
      if (isOver && holder.takenAt().isBefore(old)) {
        keys.release(holder);
      }
    }
    scanned = page.size() < limit ? "" : page.get(page.size() - 1).key();
  }
}
