package dev.carillon.flow;

import dev.carillon.store.KeyedCreation;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Chain;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Creates many tasks in few round trips. Thread-safe. */
public final class BatchCreation {

  private final TaskStore store;
  private final Chain chain;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final NewTasks newTasks;

  /**
   * A batch that has been begun.
   *
   * @param id of its own; those of its tasks are made from it
   * @param asOf the present that its definitions are to be read with
   */
  public record Batch(TaskId id, Instant asOf) {}

  /**
   * One of a batch.
   *
   * @param position in the batch; with the batch it makes the id of the task
   */
  public record Item(int position, TaskDefinition definition) {}

  /**
   * @param random for new ids; thread-safe
   */
  public BatchCreation(Ports ports, RandomGenerator random) {
    this.store = ports.store();
    this.chain = ports.chain();
    this.clock = ports.clock();
    this.random = random;
    this.newTasks = new NewTasks(ports);
  }

  /** A new batch. */
  public Batch begin() {
    Instant now = clock.instant();
    return new Batch(TaskId.create(now, random), now);
  }

  /**
   * The batch that a key stands for: however often it is begun, and by however many at a time, it
   * is the same, and so are its tasks.
   *
   * @param fingerprint the same for the same request
   * @return empty when the key stands for another request
   */
  public Optional<Batch> begin(String key, String fingerprint) {
    Instant now = clock.instant();
    KeyedCreation creation =
        store
            .findKeyed(key, now)
            .orElseGet(
                () ->
                    store.takeKey(
                        new KeyedCreation(key, fingerprint, TaskId.create(now, random), now)));
    return Optional.of(creation)
        .filter(taken -> taken.fingerprint().equals(fingerprint))
        .map(taken -> new Batch(taken.task(), taken.takenAt()));
  }

  /**
   * Stores the tasks and parks their first sub-tasks. When this returns, none of them is lost any
   * more; what could not be parked is parked by a sweep. Those that are there already, since the
   * batch was begun before, stay as they are.
   *
   * @return the ids of the tasks, by position; those whose schedule has no instant left are missing
   */
  public Map<Integer, TaskId> create(Batch batch, Collection<Item> items) {
    Map<Integer, TaskId> ids = new HashMap<>();
    List<Task> tasks = new ArrayList<>();
    for (Item item : items) {
      TaskId id = batch.id().derive(item.position());
      chain
          .create(id, item.definition(), batch.asOf())
          .ifPresent(
              task -> {
                ids.put(item.position(), id);
                tasks.add(task);
              });
    }
    List<Boolean> unused = newTasks.insertAll(tasks);
    return ids;
  }
}
