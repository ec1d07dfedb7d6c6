package dev.carillon.flow;

import dev.carillon.store.TaskKeys;
import dev.carillon.store.TaskKeys.Holder;
import dev.carillon.store.TaskStore;
import dev.carillon.store.UnreadableTaskException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees keys whose tasks have ended. Nothing depends on it: such a key can be had all the same.
 * Thread-safe.
 */
public final class KeyPurge {

  private static final Logger log = LoggerFactory.getLogger(KeyPurge.class);

  private final TaskStore store;
  private final TaskKeys keys;
  private final InstantSource clock;
  private String scanned = "";

  public KeyPurge(Ports ports) {
    this.store = ports.store();
    this.keys = ports.keys();
    this.clock = ports.clock();
  }

  /**
   * Looks at the next keys; after the last it begins anew.
   *
   * @param limit how many to look at
   * @return whether there may be more before the last
   */
  public synchronized boolean purge(int limit) {
    // whoever has just taken one may be about to insert its task
    Instant old = clock.instant().minus(KeyedTasks.ABANDONED_AFTER.multipliedBy(2));
    List<Holder> page = keys.scan(scanned, limit);
    for (Holder holder : page) {
      if (holder.takenAt().isBefore(old) && isOver(holder)) {
        keys.release(holder);
      }
    }
    boolean mayHaveMore = page.size() == limit;
    scanned = mayHaveMore ? page.get(limit - 1).key() : "";
    return mayHaveMore;
  }

  /** A task that cannot be read keeps its key, and the others do not wait for it. */
  private boolean isOver(Holder holder) {
    try {
      return store.find(holder.task()).map(task -> task.status().isFinal()).orElse(true);
    } catch (UnreadableTaskException unreadable) {
      log.error(
          "the key {} stays taken: {}. Correct the task, or cancel it, which removes it",
          holder.key(),
          unreadable.getMessage());
      return false;
    }
  }
}
