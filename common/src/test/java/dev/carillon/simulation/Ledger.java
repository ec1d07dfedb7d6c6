package dev.carillon.simulation;

import dev.carillon.schedule.Schedule;
import dev.carillon.task.Backfill;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Concurrency;
import dev.carillon.task.Origin;
import dev.carillon.task.Overlap;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** What really happened, written down outside the system, with the rules that must hold always. */
final class Ledger {

  /** An attempt as seen from outside. */
  static final class Entry {
    final Claim claim;
    final String key;
    final Instant startedAt;
    Instant leaseUntil;
    Instant endedAt = Instant.MAX;
    boolean ended;
    boolean succeeded;

    /** What it shares with others. */
    Optional<Concurrency> shared = Optional.empty();

    /** It was claimed too late to be begun. */
    boolean missed;

    Entry(Claim claim, String key, Instant startedAt, Instant leaseUntil) {
      this.claim = claim;
      this.key = key;
      this.startedAt = startedAt;
      this.leaseUntil = leaseUntil;
    }
  }

  /** What the runs of a backfill are to keep from each other at least. */
  private static final Duration BACKFILL_PAUSE = Duration.ofSeconds(1);

  private final Map<TaskId, List<Entry>> entries = new HashMap<>();
  private final Map<TaskId, Instant> canceled = new HashMap<>();
  private final Map<TaskId, Set<Long>> canceledAlone = new HashMap<>();
  private final Map<TaskId, Set<Instant>> calledOff = new HashMap<>();
  private final Set<String> everCanceledAlone = new HashSet<>();
  private final Set<String> triggered = new HashSet<>();
  private final Map<String, Set<Long>> keyedTriggers = new HashMap<>();
  private final Set<String> keysOfRanges = new HashSet<>();
  private final Map<String, Integer> retried = new HashMap<>();
  private final Map<TaskId, Plans> plans = new HashMap<>();
  private final Map<TaskId, Instant> filledBackLast = new HashMap<>();
  private final Map<TaskId, List<Instant>> filledBack = new HashMap<>();
  private final Map<String, Set<TaskId>> answers = new HashMap<>();
  private boolean overlaps;
  private int mostAtATime;
  private AssertionError brokenRule;
  private final Predicate<String> mayBeSilent;

  /**
   * @param mayBeSilent whether there is a reason for a worker of that name not to be heard of
   */
  Ledger(Predicate<String> mayBeSilent) {
    this.mayBeSilent = mayBeSilent;
  }

  boolean mayBeSilent(String worker) {
    return mayBeSilent.test(worker);
  }

  /**
   * A claim has just been given out.
   *
   * @param now when it was meant to start; the present may be later
   */
  Entry claimed(
      Task task, Claim claim, SubTask run, Instant now, Instant leaseUntil, Instant present) {
    String key = SubTask.idempotencyKey(claim.task(), run.index());
    check(!now.isBefore(run.dueAt()), "started at, before", now, run.dueAt());
    check(!isCanceledAlone(claim.task(), run), "started although canceled alone:", key, claim);
    boolean isFirst = of(claim.task()).stream().noneMatch(entry -> entry.key.equals(key));
    if (isFirst) {
      checkBegin(task, run, now);
    }
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
    Optional<Entry> same = earlier.stream().filter(e -> e.claim.equals(claim)).findFirst();
    if (same.isPresent()) { // asked for again, since the answer got lost
      check(!same.get().ended, "given out again after its end", claim);
      return same.get(); // it began by what the task was told about overlapping then
    }
    for (Entry entry : earlier) {
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
    Entry entry = new Entry(claim, key, now, leaseUntil);
    entry.shared = task.definition().concurrency();
    entry.shared.ifPresent(shared -> checkLimit(shared, entry, present));
    earlier.add(entry);
    return entry;
  }

  /**
   * Of what was started with limits, no more is on than the greatest of them: who has a lesser one
   * may get its permit first, and start last.
   */
  private void checkLimit(Concurrency shared, Entry started, Instant present) {
    if (!started.leaseUntil.isAfter(present)) {
      return; // over before it has begun
    }
    List<Entry> on =
        entries.values().stream()
            .flatMap(List::stream)
            .filter(e -> e.shared.map(Concurrency::key).equals(Optional.of(shared.key())))
            .filter(e -> !e.ended && e.leaseUntil.isAfter(present))
            .toList();
    int most = shared.limit();
    for (Entry other : on) {
      most = Math.max(most, other.shared.orElseThrow().limit());
    }
    List<Claim> claims = on.stream().map(e -> e.claim).toList();
    check(on.size() < most, "more than the limit: claim, on", shared, started.claim, claims);
    mostAtATime = Math.max(mostAtATime, on.size() + 1);
  }

  /** How many runs with one key were ever on at a time. */
  int mostAtATime() {
    return mostAtATime;
  }

  /** What was claimed is to start now, by the task as it was looked at. */
  void begins(Task task, Claim claim, SubTask run) {
    check(
        task.status() == TaskStatus.ACTIVE || run.origin() == Origin.TRIGGER,
        "begun although not active:",
        claim);
    check(!canceled.containsKey(claim.task()), "begun although canceled:", claim);
    check(!of(claim).ended, "begun after its end:", claim);
  }

  /** What a sub-task has to keep to that is claimed for the first time. */
  private void checkBegin(Task task, SubTask run, Instant now) {
    if (run.origin() == Origin.SCHEDULE) {
      Instant due = run.dueAt();
      check(
          task.definition().schedule().next(due.minusMillis(1)).equals(Optional.of(due)),
          "begun, and not by the schedule in force:",
          run,
          task);
      boolean skips = plansOf(task.id()).overlaps().equals(EnumSet.of(Overlap.SKIP));
      for (Entry other : skips ? of(task.id()) : List.<Entry>of()) {
        Instant planned = run.runAt();
        check(
            other.missed || planned.isBefore(other.startedAt) || !planned.isBefore(other.endedAt),
            "begun although another run was on when it fell due:",
            run,
            other.key,
            other.startedAt,
            other.endedAt);
      }
    }
    if (run.origin() == Origin.BACKFILL) {
      Instant last = filledBackLast.put(task.id(), now);
      check(
          last == null || !now.isBefore(last.plus(BACKFILL_PAUSE)),
          "filled back too fast: sub-task, now, the one before:",
          run,
          now,
          last);
    }
  }

  /**
   * How a task has been meant to go on, one after the other.
   *
   * @param inForce each schedule with the instant after which it counts
   * @param overlaps all that it was ever told about overlapping
   */
  record Plans(List<Plan> inForce, Set<Overlap> overlaps) {}

  record Plan(Instant after, Schedule schedule) {}

  void planned(Task task) {
    Plans known = plansOf(task.id());
    known.overlaps().add(task.definition().overlap());
    List<Plan> inForce = known.inForce();
    Schedule schedule = task.definition().schedule();
    boolean isNew =
        inForce.isEmpty() || !inForce.get(inForce.size() - 1).schedule().equals(schedule);
    if (isNew) {
      inForce.add(new Plan(task.updatedAt(), schedule));
      // what had been canceled beforehand may have another index by now, but no other fate
      canceledAlone(task.id())
          .removeIf(index -> index >= task.cursor() && !isCanceled(task.subTask(index)));
      calledOff(task.id()).removeIf(due -> due.isAfter(task.updatedAt()) && !isPlanned(task, due));
    }
  }

  private static boolean isCanceled(Optional<SubTask> subTask) {
    return subTask.filter(s -> s.status() == SubTaskStatus.CANCELED).isPresent();
  }

  /** Whether the chain gets to an instant to come, as it has just been planned. */
  private static boolean isPlanned(Task task, Instant due) {
    Schedule schedule = task.definition().schedule();
    Optional<SubTask> first =
        task.subTasks().stream().filter(s -> s.dueAt().isAfter(task.updatedAt())).findFirst();
    if (first.isEmpty() || !schedule.next(due.minusMillis(1)).equals(Optional.of(due))) {
      return false;
    }
    long ahead = schedule.count(first.get().dueAt().minusMillis(1), due).orElseThrow() - 1;
    long last = schedule.maxRuns().orElse(Long.MAX_VALUE) - 1;
    return ahead <= Chain.FARTHEST_CANCELED && first.get().index() + ahead <= last;
  }

  Plans plansOf(TaskId task) {
    return plans.computeIfAbsent(
        task, id -> new Plans(new ArrayList<>(), EnumSet.noneOf(Overlap.class)));
  }

  /** Whether two runs of a task were ever on at a time. */
  boolean hasSeenOverlaps() {
    return overlaps;
  }

  /** A range that is to be run has been stored. */
  void accepted(Task task, Backfill range) {
    range
        .request()
        .ifPresent(by -> check(keysOfRanges.add(by.key()), "a second range for key", by, range));
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

  /** It has been stored that this sub-task is not to start. */
  void canceledAlone(TaskId task, SubTask subTask) {
    canceledAlone(task).add(subTask.index());
    if (subTask.origin() == Origin.SCHEDULE) {
      calledOff(task).add(subTask.dueAt());
    }
    everCanceledAlone.add(SubTask.idempotencyKey(task, subTask.index()));
  }

  /** Whether it was canceled alone: by itself, or as one due at the same instant. */
  boolean isCanceledAlone(TaskId task, SubTask subTask) {
    return canceledAlone(task).contains(subTask.index())
        || (subTask.origin() == Origin.SCHEDULE && calledOff(task).contains(subTask.dueAt()));
  }

  private Set<Instant> calledOff(TaskId task) {
    return calledOff.computeIfAbsent(task, id -> new HashSet<>());
  }

  private Set<Long> canceledAlone(TaskId task) {
    return canceledAlone.computeIfAbsent(task, id -> new HashSet<>());
  }

  /** Somebody has been told that the sub-task will not start. */
  void cancelAnswered(TaskId task, long index) {
    String key = SubTask.idempotencyKey(task, index);
    check(everCanceledAlone.contains(key), "told to be canceled, but is not:", key);
  }

  /** Somebody has been told that this sub-task, which waits by now, will be run once more. */
  void retryAnswered(TaskId task, SubTask waiting) {
    retried.merge(SubTask.idempotencyKey(task, waiting.index()), waiting.attempt(), Math::max);
  }

  /** How many attempts a sub-task has to have had more than, unless it was canceled. */
  int attemptsBeforeRetry(String key) {
    return retried.getOrDefault(key, -1);
  }

  /** Somebody has been told that there is this extra run for their key. */
  void triggerAnswered(String key, long index) {
    keyedTriggers.computeIfAbsent(key, any -> new HashSet<>()).add(index);
  }

  Map<String, Set<Long>> keyedTriggers() {
    return keyedTriggers;
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

  /** A rule was broken where it may not come out. */
  void broken(AssertionError rule) {
    brokenRule = brokenRule == null ? rule : brokenRule;
  }

  void checkRules() {
    if (brokenRule != null) {
      throw brokenRule;
    }
  }

  static void check(boolean holds, String what, Object... parts) {
    if (!holds) {
      throw new AssertionError(what + " " + Arrays.toString(parts));
    }
  }
}
