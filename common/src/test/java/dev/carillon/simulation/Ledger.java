package dev.carillon.simulation;

import dev.carillon.task.Backfill;
import dev.carillon.task.Claim;
import dev.carillon.task.Origin;
import dev.carillon.task.Overlap;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What really happened, written down outside the system, with the rules that must hold always. */
final class Ledger {

  /** An attempt as seen from outside. */
  static final class Entry {
    final Claim claim;
    final String key;
    Instant leaseUntil;
    boolean ended;
    boolean succeeded;

    /** It was claimed too late to be begun. */
    boolean missed;

    Entry(Claim claim, String key, Instant leaseUntil) {
      this.claim = claim;
      this.key = key;
      this.leaseUntil = leaseUntil;
    }
  }

  private final Map<TaskId, List<Entry>> entries = new HashMap<>();
  private final Map<TaskId, Instant> canceled = new HashMap<>();
  private final Set<String> canceledAlone = new HashSet<>();
  private final Set<String> triggered = new HashSet<>();
  private final Map<TaskId, List<Instant>> filledBack = new HashMap<>();
  private boolean overlaps;
  private final Map<String, Set<TaskId>> answers = new HashMap<>();

  /** A claim has just been given out. */
  Entry claimed(Task task, Claim claim, SubTask run, Instant now, Instant leaseUntil) {
    String key = SubTask.idempotencyKey(claim.task(), run.index());
    check(!now.isBefore(run.dueAt()), "started at, before", now, run.dueAt());
    check(!canceledAlone.contains(key), "started although canceled alone:", key, claim);
    check(
        task.status() == TaskStatus.ACTIVE || run.origin() == Origin.TRIGGER,
        "started although not active:",
        key,
        claim);
    boolean mayOverlap = task.definition().overlap() == Overlap.ALLOW;
    check(
        !canceled.containsKey(claim.task()),
        "started although canceled: claim, now, canceled at",
        claim,
        now,
        canceled.get(claim.task()));
    List<Entry> earlier = of(claim.task());
    for (Entry entry : earlier) {
      if (entry.claim.equals(claim)) {
        check(!entry.ended, "given out again after its end", claim);
        return entry; // asked for again, since the answer got lost
      }
      check(
          claim.token() > entry.claim.token(),
          "token does not grow: claim, earlier",
          claim,
          entry.claim);
      check(
          entry.ended || !entry.leaseUntil.isAfter(now) || (mayOverlap && !entry.key.equals(key)),
          "two live claims: claim, now, earlier, its lease end",
          claim,
          now,
          entry.claim,
          entry.leaseUntil);
    }
    overlaps |= earlier.stream().anyMatch(e -> !e.ended && e.leaseUntil.isAfter(now));
    Entry entry = new Entry(claim, key, leaseUntil);
    earlier.add(entry);
    return entry;
  }

  /** Whether two runs of a task were ever on at a time. */
  boolean hasSeenOverlaps() {
    return overlaps;
  }

  /** A range that is to be run has been stored. */
  void accepted(Task task, Backfill range) {
    List<Instant> instants = filledBack.computeIfAbsent(task.id(), id -> new ArrayList<>());
    Optional<Instant> next = task.definition().schedule().next(range.done());
    while (next.isPresent() && !next.get().isAfter(range.to())) {
      instants.add(next.get());
      next = task.definition().schedule().next(next.get());
    }
  }

  /** The instants of all ranges that were to be run. */
  List<Instant> filledBack(TaskId task) {
    return filledBack.getOrDefault(task, List.of());
  }

  /** Somebody has been told that the sub-task will not start. */
  void cancelAnswered(TaskId task, long index) {
    canceledAlone.add(SubTask.idempotencyKey(task, index));
  }

  Set<String> canceledAlone() {
    return canceledAlone;
  }

  /** Somebody has been told that there will be this extra run. */
  void triggerAnswered(TaskId task, long index) {
    triggered.add(SubTask.idempotencyKey(task, index));
  }

  Set<String> triggered() {
    return triggered;
  }

  void cancelAnswered(TaskId task, Instant now) {
    canceled.putIfAbsent(task, now);
  }

  /** A client has been told that this is the task that its key stands for. */
  void createAnswered(String key, TaskId task) {
    answers.computeIfAbsent(key, any -> new HashSet<>()).add(task);
  }

  Set<TaskId> answersTo(String key) {
    return answers.getOrDefault(key, Set.of());
  }

  /** No key, which is its task's name, has two tasks, and all answers named the one it has. */
  void checkKeys(List<Task> tasks) {
    Map<String, TaskId> byKey = new HashMap<>();
    for (Task task : tasks) {
      TaskId other = byKey.put(task.definition().name(), task.id());
      check(other == null, "two tasks for one key:", task, other);
    }
    answers.forEach(
        (key, answered) ->
            check(
                answered.equals(Set.of(byKey.get(key))),
                "not the task of the key:",
                key,
                answered));
  }

  List<Entry> of(TaskId task) {
    return entries.computeIfAbsent(task, id -> new ArrayList<>());
  }

  Entry of(Claim claim) {
    return of(claim.task()).stream().filter(e -> e.claim.equals(claim)).findFirst().orElseThrow();
  }

  static void check(boolean holds, String what, Object... parts) {
    if (!holds) {
      throw new AssertionError(what + " " + Arrays.toString(parts));
    }
  }
}
