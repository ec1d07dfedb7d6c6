package dev.carillon.flow;

import dev.carillon.store.TaskKeys;
import dev.carillon.store.TaskKeys.Holder;
import dev.carillon.store.TaskStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * Frees keys whose tasks have ended. Nothing depends on it: such a key can be had all the same.
 * Thread-safe.
 */
public final class KeyPurge {

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
      boolean isOver = store.find(holder.task()).map(task -> task.status().isFinal()).orElse(true);
      if (isOver && holder.takenAt().isBefore(old)) {
        keys.release(holder);
      }
    }
    boolean mayHaveMore = page.size() == limit;
    scanned = mayHaveMore ? page.get(limit - 1).key() : "";
    return mayHaveMore;
  }
}
