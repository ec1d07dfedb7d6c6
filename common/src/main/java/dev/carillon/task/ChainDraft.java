package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A task while {@link Chain} makes the next value of it. Used by one thread. */
final class ChainDraft {

  private final TaskId id;
  private final TaskDefinition definition;
  private final long revision;
  private final Instant createdAt;
  private final Instant now;
  private final long version;
  private final List<SubTask> subTasks;
  private Tally tally;
  TaskStatus status;
  long token;
  Optional<Claim> claim;
  long cursor;
  Optional<Instant> wakeAt;

  private ChainDraft(Task task, Instant now) {
    this.id = task.id();
    this.definition = task.definition();
    this.revision = task.revision();
    this.createdAt = task.createdAt();
    this.now = now;
    this.version = task.version() + 1;
    this.subTasks = new ArrayList<>(task.subTasks());
    this.tally = task.tally();
    this.status = task.status();
    this.token = task.token();
    this.claim = task.claim();
    this.cursor = task.cursor();
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
    this.wakeAt = Optional.empty();
  }

  static ChainDraft of(Task task, Instant now) {
    return new ChainDraft(task, now);
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

  /** Fills the window up to so many sub-tasks from the cursor on, as far as the schedule goes. */
  void generate(Instant after, int ahead) {
    OptionalLong limit = definition.schedule().maxRuns();
    Instant last = subTasks.isEmpty() ? after : subTasks.get(subTasks.size() - 1).dueAt();
    long index = subTasks.isEmpty() ? 0 : subTasks.get(subTasks.size() - 1).index() + 1;
    while (index < cursor + ahead && (limit.isEmpty() || index < limit.getAsLong())) {
      Optional<Instant> due = definition.schedule().next(last);
      if (due.isEmpty()) {
        return;
      }
      Duration jitter = definition.schedule().jitterFor(SubTask.idempotencyKey(id, index));
      subTasks.add(SubTask.scheduled(index, due.get(), due.get().plus(jitter)));
      last = due.get();
      index++;
    }
  }

  /**
   * After the cursor has moved: generates more when half of what was ahead is used up, and lets go
   * of finished sub-tasks. Both happen in bulk, so that most exchanges change two sub-tasks only.
   */
  void shiftWindow(Chain.Settings settings) {
    long ahead = subTasks.get(0).index() + subTasks.size() - cursor;
    if (ahead <= settings.generatedAhead() / 2) {
      generate(now, settings.generatedAhead());
    }
    int finished = (int) (cursor - subTasks.get(0).index());
    boolean manyFinished = finished > 2 * settings.keptFinished();
    if (manyFinished && subTasks.size() > settings.generatedAhead()) {
      subTasks.subList(0, finished - settings.keptFinished()).clear();
    }
  }

  /** Cancels every sub-task that has not started, and counts those not generated yet as well. */
  void cancelRest() {
    long canceled = 0;
    for (int i = 0; i < subTasks.size(); i++) {
      SubTask subTask = subTasks.get(i);
      boolean waits =
          subTask.status() == SubTaskStatus.SCHEDULED || subTask.status() == SubTaskStatus.PENDING;
      if (waits) {
        subTasks.set(i, subTask.canceled());
        canceled++;
      }
    }
    OptionalLong total = build().totalSubTasks();
    if (total.isPresent()) {
      SubTask last = subTasks.get(subTasks.size() - 1);
      canceled += total.getAsLong() - (last.index() + 1);
    }
    tally = tally.plus(canceled, SubTaskStatus.CANCELED);
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
