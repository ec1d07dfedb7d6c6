package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** A task while {@link Chain} makes the next value of it. Used by one thread. */
final class ChainDraft {

  private final TaskId id;
  private final TaskDefinition definition;
  private final long revision;
  private final Instant createdAt;
  private final Instant now;
  private final long version;
  private final List<SubTask> subTasks;
  private final long cursorBefore;
  private Tally tally;
  TaskStatus status;
  long token;
  Optional<Claim> claim;
  long cursor;
  Optional<Instant> wakeAt;

  private ChainDraft(Task task, TaskDefinition definition, long revision, Instant now) {
    this.id = task.id();
    this.definition = definition;
    this.revision = revision;
    this.createdAt = task.createdAt();
    this.now = now;
    this.version = task.version() + 1;
    this.subTasks = new ArrayList<>(task.subTasks());
    this.tally = task.tally();
    this.status = task.status();
    this.token = task.token();
    this.claim = task.claim();
    this.cursor = task.cursor();
    this.cursorBefore = task.cursor();
    this.wakeAt = task.wakeAt();
  }

  private ChainDraft(TaskId id, TaskDefinition definition, Instant now) {
    this.id = id;
    this.definition = definition;
    this.revision = 1;
    this.createdAt = now;
    this.now = now;
    this.version = 1;
    this.subTasks = new ArrayList<>();
    this.tally = Tally.ZERO;
    this.status = TaskStatus.ACTIVE;
    this.token = 0;
    this.claim = Optional.empty();
    this.cursor = 0;
    this.cursorBefore = 0;
    this.wakeAt = Optional.empty();
  }

  static ChainDraft of(Task task, Instant now) {
    return new ChainDraft(task, task.definition(), task.revision(), now);
  }

  /** The next revision, with the given definition. */
  static ChainDraft edited(Task task, TaskDefinition definition, Instant now) {
    return new ChainDraft(task, definition, task.revision() + 1, now);
  }

  static ChainDraft ofNew(TaskId id, TaskDefinition definition, Instant now) {
    return new ChainDraft(id, definition, now);
  }

  TaskId id() {
    return id;
  }

  Optional<SubTask> live() {
    if (subTasks.isEmpty()) {
      return Optional.empty();
    }
    int position = (int) (cursor - subTasks.get(0).index());
    return position < subTasks.size() ? Optional.of(subTasks.get(position)) : Optional.empty();
  }

  void replaceLive(SubTask subTask) {
    subTasks.set((int) (cursor - subTasks.get(0).index()), subTask);
  }

  /** The live sub-task has come to its end, which is recorded and counted. */
  void finishLive(SubTask finished) {
    replaceLive(finished);
    tally = tally.plus(1, finished.status());
  }

  /** The live sub-task was missed and is not made up for. */
  void skipLive() {
    SubTask live = live().orElseThrow();
    finishLive(live.skipped(definition.misfire().reason(live, now)));
    cursor++;
  }

  /**
   * How many sub-tasks from the live one on were missed and are not to be run; counted no further
   * than a little more than can be skipped at once.
   */
  int surplusMissed() {
    int kept = definition.misfire().rule().kept();
    int most = kept + Chain.MOST_SKIPPED_AT_ONCE + 1;
    int missed = 0;
    Optional<SubTask> next = live();
    while (missed < most && next.isPresent() && definition.misfire().isMissed(next.get(), now)) {
      missed++;
      next = after(next.get());
    }
    return Math.max(0, missed - kept);
  }

  /** The sub-task after the given one, whether the window has it or not. */
  private Optional<SubTask> after(SubTask subTask) {
    long index = subTask.index() + 1;
    int position = (int) (index - subTasks.get(0).index());
    if (position < subTasks.size()) {
      return Optional.of(subTasks.get(position));
    }
    OptionalLong limit = definition.schedule().maxRuns();
    if (limit.isPresent() && index >= limit.getAsLong()) {
      return Optional.empty();
    }
    return definition.schedule().next(subTask.dueAt()).map(due -> scheduled(index, due));
  }

  private SubTask scheduled(long index, Instant due) {
    Duration jitter = definition.schedule().jitterFor(SubTask.idempotencyKey(id, index));
    return SubTask.scheduled(index, due, due.plus(jitter));
  }

  /** Fills the window up to so many sub-tasks from the cursor on, as far as the schedule goes. */
  void generate(Instant after, int ahead) {
    Optional<SubTask> next =
        subTasks.isEmpty()
            ? definition.schedule().next(after).map(due -> scheduled(0, due))
            : after(subTasks.get(subTasks.size() - 1));
    while (next.isPresent() && next.get().index() < cursor + ahead) {
      subTasks.add(next.get());
      next = after(next.get());
    }
  }

  /**
   * Plans all that comes after now by the schedule as it is, in place of what was planned.
   *
   * @param keepLive whether the live sub-task stays as it is
   */
  void planAnew(boolean keepLive, int ahead) {
    long first = cursor + (keepLive ? 1 : 0);
    subTasks.removeIf(subTask -> subTask.index() >= first);
    OptionalLong limit = definition.schedule().maxRuns();
    boolean usedUp = limit.isPresent() && first >= limit.getAsLong();
    Optional<Instant> due = usedUp ? Optional.empty() : definition.schedule().next(now);
    if (due.isPresent()) {
      subTasks.add(scheduled(first, due.get()));
      generate(now, ahead);
    }
  }

  /** Generates more when half of what was ahead is used up: most exchanges add nothing. */
  void generateAhead(Chain.Settings settings) {
    long ahead = subTasks.get(0).index() + subTasks.size() - cursor;
    if (ahead <= settings.generatedAhead() / 2) {
      generate(now, settings.generatedAhead());
    }
  }

  /**
   * Lets go of finished sub-tasks, many at a time: most exchanges change two sub-tasks only. What
   * has ended in this very step stays, since the archive gets sub-tasks as they were before it.
   */
  void letGo(Chain.Settings settings) {
    int finished = (int) (cursorBefore - subTasks.get(0).index());
    boolean manyFinished = finished > 2 * settings.keptFinished();
    if (manyFinished && subTasks.size() > settings.generatedAhead()) {
      subTasks.subList(0, finished - settings.keptFinished()).clear();
    }
  }

  /** Cancels every sub-task that has not started, and counts those not generated yet as well. */
  void cancelRest() {
    endRest(SubTask::canceled, SubTaskStatus.CANCELED);
  }

  /** Skips every sub-task that is left, likewise, and goes to the end of the chain. */
  void skipRest(String why) {
    endRest(subTask -> subTask.skipped(why), SubTaskStatus.SKIPPED);
    cursor = subTasks.get(subTasks.size() - 1).index() + 1;
  }

  private void endRest(UnaryOperator<SubTask> end, SubTaskStatus ended) {
    long count = 0;
    for (int i = 0; i < subTasks.size(); i++) {
      SubTask subTask = subTasks.get(i);
      boolean waits =
          subTask.status() == SubTaskStatus.SCHEDULED || subTask.status() == SubTaskStatus.PENDING;
      if (waits) {
        subTasks.set(i, end.apply(subTask));
        count++;
      }
    }
    SubTask last = subTasks.get(subTasks.size() - 1);
    OptionalLong total = Task.totalSubTasks(last, definition.schedule());
    if (total.isPresent()) {
      count += Math.max(0, total.getAsLong() - (last.index() + 1));
    }
    tally = tally.plus(count, ended);
  }

  Task build() {
    return new Task(
        id,
        definition,
        revision,
        status,
        createdAt,
        now,
        version,
        token,
        claim,
        cursor,
        subTasks,
        tally,
        wakeAt);
  }
}
