package dev.carillon.store;

import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Concurrency;
import dev.carillon.task.Lease;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A store without a server, for the simulation. Says by brevity what a store has to do. */
public final class MemoryTaskStore implements TaskStore {

  private final Map<TaskId, Task> tasks = new TreeMap<>();
  private final Map<TaskId, Map<Long, SubTask>> archive = new TreeMap<>();
  private final Map<String, KeyedCreation> keys = new TreeMap<>();
  private final Map<String, Map<String, Instant>> permits = new TreeMap<>();
  private final InstantSource clock;

  public MemoryTaskStore(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public synchronized boolean insert(Task task) {
    return tasks.putIfAbsent(task.id(), task) == null;
  }

  @Override
  public synchronized Optional<KeyedCreation> findKeyed(String key, Instant now) {
    return Optional.ofNullable(keys.get(key)).filter(creation -> !creation.isOver(now));
  }

  @Override
  public synchronized KeyedCreation takeKey(KeyedCreation wanted) {
    return keys.merge(wanted.key(), wanted, (old, next) -> old.isOver(next.takenAt()) ? next : old);
  }

  @Override
  public synchronized List<ClaimAnswer> claim(
      Collection<ClaimRequest> requests, Instant now, Duration lease) {
    List<ClaimAnswer> answers = new ArrayList<>();
    for (ClaimRequest request : requests) {
      Optional<Task> found = find(request.notice().task());
      answers.add(
          ClaimAnswer.beforeClaim(request, found)
              .orElseGet(
                  () -> {
                    Claim claim = request.claim();
                    Task started = Chain.start(found.get(), claim, now, now.plus(lease));
                    tasks.put(started.id(), started);
                    return new Won(started, claim);
                  }));
    }
    return answers;
  }

  @Override
  public synchronized List<Boolean> exchange(Collection<Exchange> exchanges) {
    List<Boolean> answers = new ArrayList<>();
    for (Exchange exchange : exchanges) {
      Task before = exchange.before();
      Task current = tasks.get(before.id());
      boolean unchanged =
          current != null
              && current.version() == before.version()
              && current.leases().containsAll(exchange.endedAfterTheirTime());
      if (unchanged) {
        archive(exchange);
        Task after = exchange.after();
        List<Lease> leases =
            after.leases().stream()
                .map(lease -> current.lease(lease.claim()).orElse(lease))
                .toList();
        tasks.put(before.id(), withLeases(after, leases));
      }
      answers.add(unchanged);
    }
    return answers;
  }

  /** By exchanges that are carried out only, in their order: the later is the better known. */
  private void archive(Exchange exchange) {
    Map<Long, SubTask> archived =
        archive.computeIfAbsent(exchange.before().id(), id -> new TreeMap<>());
    exchange.leftBehind().forEach(subTask -> archived.put(subTask.index(), subTask));
  }

  @Override
  public synchronized List<Boolean> extend(Collection<Claim> claims, Instant leaseUntil) {
    List<Boolean> answers = new ArrayList<>();
    for (Claim claim : claims) {
      Task task = tasks.get(claim.task());
      boolean held = task != null && task.isHeldBy(claim);
      if (held) {
        List<Lease> leases =
            task.leases().stream()
                .map(lease -> lease.claim().equals(claim) ? lease.extended(leaseUntil) : lease)
                .toList();
        tasks.put(task.id(), withLeases(task, leases));
      }
      answers.add(held);
    }
    return answers;
  }

  /** Not a new version: nobody who has read the task has to know. */
  private static Task withLeases(Task task, List<Lease> leases) {
    return new Task(
        task.id(),
        task.definition(),
        task.revision(),
        task.status(),
        task.createdAt(),
        task.updatedAt(),
        task.version(),
        task.token(),
        leases,
        task.cursor(),
        task.subTasks(),
        task.extras(),
        task.tally(),
        task.busy(),
        task.inLineSince(),
        task.wakeAt());
  }

  @Override
  public synchronized List<Task> overdue(Instant now, int limit) {
    return tasks.values().stream()
        .filter(task -> task.wakeAt().isPresent() && !task.wakeAt().get().isAfter(now))
        .sorted(Comparator.comparing(task -> task.wakeAt().get()))
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized Optional<Task> find(TaskId id) {
    return Optional.ofNullable(tasks.get(id));
  }

  @Override
  public synchronized TaskListing listing(TaskQuery query) {
    List<Task> found =
        tasks.values().stream()
            .sorted(Comparator.comparing(Task::id).reversed())
            .filter(task -> fits(task.status(), query.status()))
            .filter(task -> query.tag().map(task.definition().tags()::contains).orElse(true))
            .filter(task -> fits(task.definition().name(), query.name()))
            .filter(task -> query.olderThan().map(id -> task.id().compareTo(id) < 0).orElse(true))
            .limit(query.limit())
            .toList();
    return new TaskListing(found, List.of());
  }

  private static <T> boolean fits(T value, Optional<T> wanted) {
    return wanted.isEmpty() || wanted.get().equals(value);
  }

  @Override
  public synchronized List<SubTask> subTasks(TaskId id, SubTaskQuery query) {
    Map<Long, SubTask> all = new TreeMap<>(archive.getOrDefault(id, Map.of()));
    if (find(id).isEmpty()) {
      return List.of();
    }
    Task task = find(id).get();
    task.subTasks().forEach(s -> all.put(s.index(), s));
    task.extras().subTasks().forEach(s -> all.put(s.index(), s));
    Stream<SubTask> fitting =
        all.values().stream()
            .filter(subTask -> subTask.index() >= query.fromIndex())
            .filter(subTask -> fits(subTask.status(), query.status()));
    return fitting.limit(query.limit()).toList();
  }

  @Override
  public synchronized Optional<SubTask> findRequested(TaskId id, String key, Instant takenAfter) {
    return archive.getOrDefault(id, Map.of()).values().stream()
        .filter(
            subTask ->
                subTask
                    .request()
                    .filter(by -> by.key().equals(key) && by.takenAt().isAfter(takenAfter))
                    .isPresent())
        .findFirst();
  }

  @Override
  public synchronized int purgeArchive(Instant endedBefore, int limit) {
    int[] purged = {0};
    for (Map<Long, SubTask> subTasks : archive.values()) {
      subTasks
          .values()
          .removeIf(subTask -> endedAt(subTask).isBefore(endedBefore) && purged[0]++ < limit);
    }
    return Math.min(purged[0], limit);
  }

  private static Instant endedAt(SubTask subTask) {
    return subTask.run().flatMap(SubTask.Run::finishedAt).orElse(subTask.runAt());
  }

  @Override
  public synchronized int purgeKeys(Instant takenBefore, int limit) {
    List<String> old =
        keys.values().stream()
            .filter(creation -> creation.takenAt().isBefore(takenBefore))
            .map(KeyedCreation::key)
            .limit(limit)
            .toList();
    old.forEach(keys::remove);
    return old.size();
  }

  @Override
  public synchronized boolean take(Permit permit, int limit, Instant now, Instant until) {
    Map<String, Instant> holders = permits.computeIfAbsent(permit.key(), any -> new TreeMap<>());
    if (!holders.containsKey(permit.claim().id())) {
      if (held(permit.key(), now) >= limit) {
        return false;
      }
      holders.values().removeIf(end -> !end.isAfter(now));
    }
    holders.put(permit.claim().id(), until);
    return true;
  }

  @Override
  public synchronized List<Boolean> extendPermits(Collection<Permit> held, Instant until) {
    return held.stream()
        .map(
            permit ->
                permits
                        .getOrDefault(permit.key(), new TreeMap<>())
                        .computeIfPresent(permit.claim().id(), (id, end) -> until)
                    != null)
        .toList();
  }

  @Override
  public synchronized void giveBack(Permit permit) {
    permits.computeIfPresent(
        permit.key(),
        (key, holders) -> {
          holders.remove(permit.claim().id());
          return holders;
        });
  }

  @Override
  public synchronized int held(String key, Instant now) {
    return (int)
        permits.getOrDefault(key, Map.of()).values().stream()
            .filter(end -> end.isAfter(now))
            .count();
  }

  @Override
  public synchronized int purgePermits(Instant endedBefore, int limit) {
    List<String> old =
        permits.keySet().stream()
            .filter(key -> held(key, endedBefore.minusNanos(1)) == 0)
            .limit(limit)
            .toList();
    old.forEach(permits::remove);
    return old.size();
  }

  @Override
  public synchronized List<Task> inLine(String key, int limit) {
    return tasks.values().stream()
        .filter(task -> task.inLineSince().isPresent())
        .filter(
            task -> task.definition().concurrency().map(Concurrency::key).equals(Optional.of(key)))
        .sorted(Comparator.comparing(task -> task.inLineSince().get()))
        .limit(limit)
        .toList();
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  /** All tasks, for the checks of a simulation. */
  public synchronized List<Task> all() {
    return List.copyOf(tasks.values());
  }
}
