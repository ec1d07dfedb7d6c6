package dev.carillon.store;

import dev.carillon.task.TaskId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Which task each key that publishers have chosen stands for. That a key is held says nothing about
 * its task, which may not be there yet, or not any more. Every write is atomic for one key, and may
 * be repeated. Thread-safe.
 */
public interface TaskKeys {

  /**
   * A key and the task that it stands for.
   *
   * @param takenAt since when, in whole milliseconds
   */
  record Holder(String key, TaskId task, Instant takenAt) {

    public Holder {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(task, "task");
      takenAt = takenAt.truncatedTo(ChronoUnit.MILLIS);
    }
  }

  /** What the key stands for. */
  Optional<Holder> find(String key);

  /**
   * Has keys stand for tasks, each unless it stands for one already. Keys must be different.
   *
   * @return what each stands for now, in their order
   */
  List<Holder> takeFree(Collection<Holder> wanted);

  /**
   * Has a key stand for another task, if it still stands for the one that was seen.
   *
   * @return whether it stands for the wanted one now
   */
  boolean pass(Holder seen, Holder wanted);

  /** Frees a key, if it still stands for the task that was seen. */
  void release(Holder seen);

  /**
   * Goes through all keys, in an order of its own.
   *
   * @param after where to go on; empty for the beginning
   */
  List<Holder> scan(String after, int limit);
}
