package dev.carillon.event;

import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskListing;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Claim;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A store that tells a listener of every change that is made through it. Since every change of a
 * task is one exchange of its document, nothing else has to know of events. A change whose answer
 * was lost is not told of. Thread-safe.
 */
public final class ObservedStore implements TaskStore {

  private final TaskStore store;
  private final TaskListener listener;

  public ObservedStore(TaskStore store, TaskListener listener) {
    this.store = store;
    this.listener = listener;
  }

  private void tell(List<TaskEvent> events) {
    events.forEach(listener::happened);
  }

  @Override
  public boolean insert(Task task) {
    boolean inserted = store.insert(task);
    if (inserted) {
      tell(TaskEvents.ofNew(task));
    }
    return inserted;
  }

  @Override
  public List<Boolean> insert(Collection<Task> tasks) {
    List<Boolean> inserted = store.insert(tasks);
    Iterator<Boolean> done = inserted.iterator();
    for (Task task : tasks) {
      if (done.next()) {
        tell(TaskEvents.ofNew(task));
      }
    }
    return inserted;
  }

  @Override
  public List<ClaimAnswer> claim(Collection<ClaimRequest> claims, Instant now, Duration lease) {
    List<ClaimAnswer> answers = store.claim(claims, now, lease);
    for (ClaimAnswer answer : answers) {
      if (answer instanceof ClaimAnswer.Won won) {
        tell(TaskEvents.ofClaimed(won.task()));
      }
    }
    return answers;
  }

  @Override
  public List<Boolean> exchange(Collection<Exchange> exchanges) {
    List<Boolean> exchanged = store.exchange(exchanges);
    Iterator<Boolean> done = exchanged.iterator();
    for (Exchange exchange : exchanges) {
      if (done.next()) {
        tell(TaskEvents.between(exchange.before(), exchange.after()));
      }
    }
    return exchanged;
  }

  @Override
  public Optional<KeyedCreation> findKeyed(String key, Instant now) {
    return store.findKeyed(key, now);
  }

  @Override
  public KeyedCreation takeKey(KeyedCreation wanted) {
    return store.takeKey(wanted);
  }

  @Override
  public List<KeyedCreation> takeKeys(Collection<KeyedCreation> wanted) {
    return store.takeKeys(wanted);
  }

  @Override
  public List<Boolean> extend(Collection<Claim> claims, Instant leaseUntil) {
    return store.extend(claims, leaseUntil);
  }

  @Override
  public List<Task> overdue(Instant now, int limit) {
    return store.overdue(now, limit);
  }

  @Override
  public boolean take(Permit permit, int limit, Instant now, Instant until) {
    return store.take(permit, limit, now, until);
  }

  @Override
  public List<Boolean> extendPermits(Collection<Permit> permits, Instant until) {
    return store.extendPermits(permits, until);
  }

  @Override
  public void giveBack(Permit permit) {
    store.giveBack(permit);
  }

  @Override
  public int held(String key, Instant now) {
    return store.held(key, now);
  }

  @Override
  public int purgePermits(Instant endedBefore, int limit) {
    return store.purgePermits(endedBefore, limit);
  }

  @Override
  public List<Task> inLine(String key, int limit) {
    return store.inLine(key, limit);
  }

  @Override
  public Optional<Task> find(TaskId id) {
    return store.find(id);
  }

  @Override
  public boolean discardUnreadable(TaskId id) {
    return store.discardUnreadable(id);
  }

  @Override
  public Map<TaskId, Task> findAll(Collection<TaskId> ids) {
    return store.findAll(ids);
  }

  @Override
  public TaskListing listing(TaskQuery query) {
    return store.listing(query);
  }

  @Override
  public List<SubTask> subTasks(TaskId id, SubTaskQuery query) {
    return store.subTasks(id, query);
  }

  @Override
  public Optional<SubTask> findRequested(TaskId id, String key, Instant takenAfter) {
    return store.findRequested(id, key, takenAfter);
  }

  @Override
  public int purgeArchive(Instant endedBefore, int limit) {
    return store.purgeArchive(endedBefore, limit);
  }

  @Override
  public int purgeKeys(Instant takenBefore, int limit) {
    return store.purgeKeys(takenBefore, limit);
  }

  @Override
  public Instant now() {
    return store.now();
  }
}
