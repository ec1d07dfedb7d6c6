package dev.carillon.api;

import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskListing;
import dev.carillon.store.TaskListing.Unreadable;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.store.UnreadableTaskException;
import dev.carillon.task.Claim;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A store that does something else first, such as failing. */
final class FaultyStore implements TaskStore {

  /** What a driver throws when there is no server. */
  static final class AwayException extends RuntimeException {
    AwayException() {
      super("timed out while waiting for a server");
    }
  }

  private final TaskStore store;
  private final Map<TaskId, String> damaged = new ConcurrentHashMap<>();
  private final Set<TaskId> discarded = ConcurrentHashMap.newKeySet();
  private volatile Runnable first = () -> {};

  FaultyStore(TaskStore store) {
    this.store = store;
  }

  /** Somebody has edited its document. */
  void damage(TaskId id, String problems) {
    damaged.put(id, problems);
  }

  /** Before every call from now on. */
  void first(Runnable action) {
    first = action;
  }

  @Override
  public boolean insert(Task task) {
    first.run();
    return store.insert(task);
  }

  @Override
  public Optional<KeyedCreation> findKeyed(String key, Instant now) {
    first.run();
    return store.findKeyed(key, now);
  }

  @Override
  public KeyedCreation takeKey(KeyedCreation wanted) {
    first.run();
    return store.takeKey(wanted);
  }

  @Override
  public List<ClaimAnswer> claim(Collection<ClaimRequest> claims, Instant now, Duration lease) {
    first.run();
    return store.claim(claims, now, lease);
  }

  @Override
  public List<Boolean> exchange(Collection<Exchange> exchanges) {
    first.run();
    return store.exchange(exchanges);
  }

  @Override
  public List<Boolean> extend(Collection<Claim> claims, Instant leaseUntil) {
    first.run();
    return store.extend(claims, leaseUntil);
  }

  @Override
  public List<Task> overdue(Instant now, int limit) {
    first.run();
    return store.overdue(now, limit);
  }

  @Override
  public Optional<Task> find(TaskId id) {
    first.run();
    if (damaged.containsKey(id)) {
      throw new UnreadableTaskException(id.value(), damaged.get(id), null);
    }
    return store.find(id).filter(task -> !discarded.contains(id));
  }

  @Override
  public boolean discardUnreadable(TaskId id) {
    first.run();
    return damaged.remove(id) != null && discarded.add(id);
  }

  @Override
  public TaskListing listing(TaskQuery query) {
    first.run();
    int all = query.limit() + damaged.size() + discarded.size();
    TaskQuery wider =
        new TaskQuery(query.status(), query.tag(), query.name(), query.olderThan(), all);
    List<Task> tasks = new ArrayList<>();
    List<Unreadable> unreadable = new ArrayList<>();
    for (Task task : store.list(wider)) {
      TaskId id = task.id();
      if (tasks.size() < query.limit() && !discarded.contains(id)) {
        if (damaged.containsKey(id)) {
          unreadable.add(new Unreadable(id.value(), damaged.get(id)));
        } else {
          tasks.add(task);
        }
      }
    }
    return new TaskListing(tasks, unreadable);
  }

  @Override
  public List<SubTask> subTasks(TaskId id, SubTaskQuery query) {
    first.run();
    return store.subTasks(id, query);
  }

  @Override
  public Optional<SubTask> findRequested(TaskId id, String key, Instant takenAfter) {
    first.run();
    return store.findRequested(id, key, takenAfter);
  }

  @Override
  public int purgeArchive(Instant endedBefore, int limit) {
    first.run();
    return store.purgeArchive(endedBefore, limit);
  }

  @Override
  public int purgeKeys(Instant takenBefore, int limit) {
    first.run();
    return store.purgeKeys(takenBefore, limit);
  }

  @Override
  public boolean take(Permit permit, int limit, Instant now, Instant until) {
    first.run();
    return store.take(permit, limit, now, until);
  }

  @Override
  public List<Boolean> extendPermits(Collection<Permit> permits, Instant until) {
    first.run();
    return store.extendPermits(permits, until);
  }

  @Override
  public void giveBack(Permit permit) {
    first.run();
    store.giveBack(permit);
  }

  @Override
  public int held(String key, Instant now) {
    first.run();
    return store.held(key, now);
  }

  @Override
  public int purgePermits(Instant endedBefore, int limit) {
    first.run();
    return store.purgePermits(endedBefore, limit);
  }

  @Override
  public List<Task> inLine(String key, int limit) {
    first.run();
    return store.inLine(key, limit);
  }

  @Override
  public Instant now() {
    first.run();
    return store.now();
  }
}
