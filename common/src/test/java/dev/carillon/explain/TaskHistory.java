package dev.carillon.explain;

import dev.carillon.task.Backfill;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A task to which things happen one after the other, with what has left its window. */
final class TaskHistory {

  static final Duration GRACE = Duration.ofSeconds(5);
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration HORIZON = Duration.ofHours(24);
  static final int AHEAD = 10;

  private final Chain chain =
      new Chain(Tasks.parking(HORIZON), new Chain.Settings(GRACE, AHEAD, 2, 3));
  private final NavigableMap<Long, SubTask> archive = new TreeMap<>();
  private Task task;
  private int looks;
  private boolean isInProcess;

  TaskHistory(TaskDefinition definition) {
    task = chain.create(Tasks.id(1), definition, Tasks.NOW).orElseThrow();
  }

  Task task() {
    return task;
  }

  /** How often the archive was asked. */
  int looks() {
    return looks;
  }

  private TaskHistory become(Task next) {
    long start = next.subTasks().get(0).index();
    task.subTasks().stream()
        .filter(subTask -> subTask.index() < start)
        .forEach(subTask -> archive.put(subTask.index(), subTask));
    task.extras().subTasks().stream()
        .filter(subTask -> next.subTask(subTask.index()).isEmpty())
        .forEach(subTask -> archive.put(subTask.index(), subTask));
    task = next;
    return this;
  }

  TaskHistory start(Instant now) {
    Claim claim = new Claim(task.id(), task.token(), "worker-1", "claim-" + task.token());
    return become(Chain.start(task, claim, now, now.plus(LEASE)));
  }

  TaskHistory complete(Outcome outcome, Instant now) {
    return become(chain.complete(task, outcome, now));
  }

  TaskHistory succeed(Instant now) {
    return start(now).complete(new Outcome.Succeeded(), now);
  }

  TaskHistory fail(String error, Instant now) {
    return start(now).complete(new Outcome.Failed(error, true), now);
  }

  /** Runs the next ones at their times. */
  TaskHistory succeed(int times) {
    for (int i = 0; i < times; i++) {
      succeed(task.live().orElseThrow().runAt());
    }
    return this;
  }

  TaskHistory cancel(Instant now) {
    return become(chain.cancel(task, now));
  }

  TaskHistory pause(Instant now) {
    return become(chain.edit(task, task.definition(), true, now));
  }

  TaskHistory resume(Instant now) {
    return become(chain.edit(task, task.definition(), false, now));
  }

  TaskHistory edit(TaskDefinition definition, Instant now) {
    return become(chain.edit(task, definition, false, now));
  }

  TaskHistory trigger(Instant now) {
    return become(chain.trigger(task, now));
  }

  /** What is next starts, extra runs included. */
  TaskHistory begin(Instant now) {
    Claim claim = new Claim(task.id(), task.token(), "worker-1", "claim-" + task.token());
    return become(chain.begin(task, claim, now, now.plus(LEASE)));
  }

  TaskHistory backfill(Instant from, Instant to, Instant now) {
    return become(chain.backfill(task, Backfill.of(from, to), now));
  }

  TaskHistory unpark(Instant now) {
    return become(chain.unpark(task, now));
  }

  TaskHistory waitInLine(Instant now) {
    return become(chain.waitInLine(task, now));
  }

  TaskHistory wake(Instant now) {
    return become(chain.wake(task, now));
  }

  /** Retention has removed what came before an index. */
  TaskHistory forgetBefore(long index) {
    archive.headMap(index).clear();
    return this;
  }

  /** It is asked where there is no RabbitMQ. */
  TaskHistory inProcess() {
    isInProcess = true;
    return this;
  }

  TaskHistory cancelOne(long index, Instant now) {
    return become(chain.cancelOne(task, index, now).orElseThrow());
  }

  TaskHistory retry(long index, Instant now) {
    return become(chain.retry(task, task.subTask(index).orElseThrow(), now));
  }

  Explanation explain(Instant at, Instant now, boolean brokerIsThere) {
    Chronicle chronicle =
        (index, limit) -> {
          looks++;
          return List.copyOf(archive.tailMap(index).values()).stream().limit(limit).toList();
        };
    return Explainer.explain(task, chronicle, at, new Situation(now, brokerIsThere, isInProcess));
  }
}
