package dev.carillon.api;

import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Claim;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** A store that does something else first, such as failing. */
final class FaultyStore implements TaskStore {

  /** What a driver throws when there is no server. */
  static final class AwayException extends RuntimeException {
    AwayException() {
      super("timed out while waiting for a server");
    }
  }

  private final TaskStore store;
  private volatile Runnable first = () -> {};

  FaultyStore(TaskStore store) {
    this.store = store;
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
    return store.find(id);
  }

  @Override
  public List<Task> list(TaskQuery query) {
    first.run();
    return store.list(query);
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
