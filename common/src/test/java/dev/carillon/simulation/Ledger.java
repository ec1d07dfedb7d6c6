package dev.carillon.simulation;

import dev.carillon.task.Claim;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
  private final Map<String, Set<TaskId>> answers = new HashMap<>();

  /** A claim has just been given out. */
  Entry claimed(Claim claim, SubTask live, Instant now, Instant leaseUntil) {
    check(!now.isBefore(live.dueAt()), "started at, before", now, live.dueAt());
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
          entry.ended || entry.leaseUntil.isBefore(now) || entry.leaseUntil.equals(now),
          "two live claims: claim, now, earlier, its lease end",
          claim,
          now,
          entry.claim,
          entry.leaseUntil);
    }
    Entry entry = new Entry(claim, SubTask.idempotencyKey(claim.task(), live.index()), leaseUntil);
    earlier.add(entry);
    return entry;
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
