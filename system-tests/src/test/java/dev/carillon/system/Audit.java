package dev.carillon.system;

import dev.carillon.task.MisfirePolicy;
import dev.carillon.task.Overlap;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares what the store says has happened with what has happened, for tasks that have come to
 * their end and are small enough to show all of their sub-tasks. Used by one thread.
 */
final class Audit {

  private final Fault.Effects allowed;
  private final Duration lease;
  private final List<String> violations = new ArrayList<>();
  private int runs;
  private int lost;
  private int repeated;
  private int early;
  private int late;
  private int skipped;
  private int handedBack;

  /**
   * @param lease that every worker had
   */
  Audit(Fault.Effects allowed, Duration lease) {
    this.allowed = allowed;
    this.lease = lease;
  }

  /** Looks at all of the tasks and all that is known of them. */
  Audit of(List<Task> tasks, List<Ledger.Entry> entries) {
    Map<String, List<Ledger.Entry>> byTask =
        entries.stream().collect(Collectors.groupingBy(entry -> entry.run().taskId()));
    for (Task task : tasks) {
      check(task, byTask.getOrDefault(task.id().value(), List.of()));
    }
    return this;
  }

  private void check(Task task, List<Ledger.Entry> entries) {
    runs += entries.size();
    if (task.status() != TaskStatus.FINISHED || task.claim().isPresent()) {
      violation(task, "is " + task.status());
    }
    long wanted = task.definition().schedule().maxRuns().orElseThrow();
    List<SubTask> subTasks = task.subTasks();
    if (subTasks.size() != wanted || subTasks.get(0).index() != 0) {
      violation(task, "has " + subTasks.size() + " sub-tasks instead of " + wanted);
    }
    if (task.tally().total() != wanted) {
      violation(task, "counts " + task.tally() + " of " + wanted);
    }
    for (SubTask subTask : subTasks) {
      check(
          task,
          subTask,
          entries.stream()
              .filter(entry -> entry.run().index() == subTask.index())
              .sorted(Comparator.comparingInt(entry -> entry.run().attempt()))
              .toList());
    }
    for (List<Ledger.Entry> oneByOne : oneByOne(task, entries)) {
      checkTokens(task, oneByOne);
      checkOverlaps(task, oneByOne);
    }
  }

  /** Runs that must not be on at the same time. */
  private static Collection<List<Ledger.Entry>> oneByOne(Task task, List<Ledger.Entry> entries) {
    return task.definition().overlap() == Overlap.ALLOW
        ? entries.stream().collect(Collectors.groupingBy(entry -> entry.run().index())).values()
        : List.of(entries);
  }

  private static boolean mayBeSkipped(Task task) {
    return task.definition().misfire().rule() != MisfirePolicy.Rule.RUN_ALL
        || task.definition().overlap() == Overlap.SKIP;
  }

  private void check(Task task, SubTask subTask, List<Ledger.Entry> entries) {
    String which = "sub-task " + subTask.index();
    if (subTask.status() == SubTaskStatus.SKIPPED) {
      skipped++;
      if (!mayBeSkipped(task) || !entries.isEmpty() || subTask.error().isEmpty()) {
        violation(task, which + " was skipped, and has " + entries + ", " + subTask.error());
      }
    } else if (subTask.status() != SubTaskStatus.SUCCEEDED || entries.isEmpty()) {
      lost++;
      violation(task, which + " is lost: " + subTask + " with " + entries);
    } else {
      repeated += entries.size() - 1;
      checkAttempts(task, subTask, entries);
    }
    for (Ledger.Entry entry : entries) {
      if (entry.at().isBefore(subTask.dueAt()) || !entry.run().dueAt().equals(subTask.dueAt())) {
        early++;
        violation(task, which + " was early: " + entry + " for " + subTask.dueAt());
      }
    }
  }

  private void checkAttempts(Task task, SubTask subTask, List<Ledger.Entry> entries) {
    String which = "sub-task " + subTask.index();
    Set<Integer> attempts = new HashSet<>();
    for (Ledger.Entry entry : entries) {
      if (!attempts.add(entry.run().attempt()) || entry.run().attempt() > subTask.attempt()) {
        violation(task, which + " ran more often than it was claimed: " + entries);
      }
    }
    handedBack += handBacks(subTask);
    if (allowed != Fault.Effects.LATE_FINISH_OR_HAND_BACK
        && handBacks(subTask) == 0
        && subTask.failedAttempts() == 0) {
      checkLeases(task, which, entries);
    }
  }

  /** Attempts that ended neither by themselves nor with their worker. */
  private static int handBacks(SubTask subTask) {
    return subTask.attempt() - 1 - subTask.failedAttempts() - subTask.lostWorkers();
  }

  /** Every attempt but the last was lost with its worker, and nobody may have known at once. */
  private void checkLeases(Task task, String which, List<Ledger.Entry> entries) {
    // the claim is older than the request that follows it
    Duration least = lease.dividedBy(2);
    for (int i = 1; i < entries.size(); i++) {
      Instant before = entries.get(i - 1).at();
      if (entries.get(i).at().isBefore(before.plus(least))) {
        violation(task, which + " was taken over before the lease had ended: " + entries);
      }
    }
  }

  /** In the order of the chain, tokens grow; whoever comes late is told by its token. */
  private void checkTokens(Task task, List<Ledger.Entry> entries) {
    List<Ledger.Entry> chain =
        entries.stream()
            .sorted(
                Comparator.<Ledger.Entry>comparingLong(entry -> entry.run().index())
                    .thenComparingInt(entry -> entry.run().attempt()))
            .toList();
    for (int i = 1; i < chain.size(); i++) {
      if (chain.get(i).token() <= chain.get(i - 1).token()) {
        violation(task, "fencing tokens do not grow: " + chain.get(i - 1) + " and " + chain.get(i));
      }
    }
    long greatest = 0;
    for (Ledger.Entry entry :
        entries.stream().sorted(Comparator.comparing(Ledger.Entry::at)).toList()) {
      if (entry.token() < greatest) {
        late++;
        if (!mayRunOn(task, entry)) {
          violation(task, "came after its successor: " + entry);
        }
      }
      greatest = Math.max(greatest, entry.token());
    }
  }

  private void checkOverlaps(Task task, List<Ledger.Entry> entries) {
    for (Ledger.Entry former : entries) {
      for (Ledger.Entry latter : entries) {
        boolean overlap =
            former.token() < latter.token()
                && former.at().isBefore(latter.until())
                && latter.at().isBefore(former.until());
        if (overlap && !mayRunOn(task, former)) {
          violation(task, "ran twice at a time: " + former + " and " + latter);
        }
      }
    }
  }

  /** Whether a run may have gone on after its claim had ended. */
  private boolean mayRunOn(Task task, Ledger.Entry entry) {
    SubTask subTask = task.subTask(entry.run().index()).orElseThrow();
    // a claim ends before its run only with the lease, or when the worker gives it up
    boolean wasTheLast = entry.run().attempt() >= subTask.attempt();
    return !wasTheLast && (subTask.lostWorkers() > 0 || handBacks(subTask) > 0);
  }

  private void violation(Task task, String what) {
    violations.add(task.id() + " " + what);
  }

  List<String> violations() {
    return List.copyOf(violations);
  }

  /** How often an action was carried out. */
  int runs() {
    return runs;
  }

  /** Sub-tasks that were to run and did not. */
  int lost() {
    return lost;
  }

  /** Runs beyond the first of a sub-task. */
  int repeated() {
    return repeated;
  }

  int early() {
    return early;
  }

  /** Runs that arrived after a run with a greater token. */
  int late() {
    return late;
  }

  int skipped() {
    return skipped;
  }

  /** Attempts that a worker gave up of its own accord, as far as the store can tell. */
  int handedBack() {
    return handedBack;
  }
}
