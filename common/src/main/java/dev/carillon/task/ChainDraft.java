package dev.carillon.task;

import dev.carillon.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
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
  private final Schedule scheduleBefore;

  /** Indices of those that had not ended before this step. */
  private final Set<Long> unfinishedBefore = new HashSet<>();

  /** Whether the schedule has nothing left. */
  private boolean hasEnded;

  private final List<SubTask> extras;
  private long extraRuns;
  private Tally tally;
  TaskStatus status;
  long token;
  final List<Lease> leases;
  long cursor;
  final List<Backfill> backfills;
  Optional<Busy> busy;

  /** Whatever happens to a task, it is decided anew whether it has to wait. */
  Optional<Instant> inLineSince = Optional.empty();

  Optional<Instant> wakeAt;

  private ChainDraft(Task task, TaskDefinition definition, long revision, Instant now) {
    this.id = task.id();
    this.definition = definition;
    this.revision = revision;
    this.createdAt = task.createdAt();
    this.now = now;
    this.version = task.version() + 1;
    this.subTasks = new ArrayList<>(task.subTasks());
    this.extras = new ArrayList<>(task.extras().subTasks());
    this.extraRuns = task.extras().runs();
    this.backfills = new ArrayList<>(task.extras().backfills());
    this.tally = task.tally();
    this.status = task.status();
    this.token = task.token();
    this.leases = new ArrayList<>(task.leases());
    this.cursor = task.cursor();
    this.cursorBefore = task.cursor();
    this.scheduleBefore = task.definition().schedule();
    this.busy = task.busy();
    this.wakeAt = task.wakeAt();
    this.hasEnded = inWindow(cursor).isEmpty();
    all(subTask -> !subTask.status().isFinished())
        .forEach(subTask -> unfinishedBefore.add(subTask.index()));
  }

  private ChainDraft(TaskId id, TaskDefinition definition, Instant now) {
    this.id = id;
    this.definition = definition;
    this.revision = 1;
    this.createdAt = now;
    this.now = now;
    this.version = 1;
    this.subTasks = new ArrayList<>();
    this.extras = new ArrayList<>();
    this.backfills = new ArrayList<>();
    this.tally = Tally.ZERO;
    this.status = TaskStatus.ACTIVE;
    this.token = 0;
    this.leases = new ArrayList<>();
    this.cursor = 0;
    this.cursorBefore = 0;
    this.scheduleBefore = definition.schedule();
    this.busy = Optional.empty();
    this.wakeAt = Optional.empty();
    this.hasEnded = false;
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

  Instant now() {
    return now;
  }

  TaskDefinition definition() {
    return definition;
  }

  /** The sub-task at which the chain stands; empty when it has come to its end. */
  Optional<SubTask> atCursor() {
    return inWindow(cursor);
  }

  private Optional<SubTask> inWindow(long index) {
    if (subTasks.isEmpty()) {
      return Optional.empty();
    }
    long position = index - subTasks.get(0).index();
    return position >= 0 && position < subTasks.size()
        ? Optional.of(subTasks.get((int) position))
        : Optional.empty();
  }

  Optional<SubTask> find(long index) {
    return all(subTask -> subTask.index() == index).stream().findFirst();
  }

  Optional<SubTask> next() {
    return new Candidates(status, definition.overlap(), leases.size(), cursor, subTasks, extras)
        .next();
  }

  private List<SubTask> all(Predicate<SubTask> condition) {
    List<SubTask> fitting = new ArrayList<>();
    subTasks.stream().filter(condition).forEach(fitting::add);
    extras.stream().filter(condition).forEach(fitting::add);
    return fitting;
  }

  /** Puts the next value of a sub-task in the place of the one that it was made from. */
  void replace(SubTask subTask) {
    if (inWindow(subTask.index()).isPresent()) {
      subTasks.set((int) (subTask.index() - subTasks.get(0).index()), subTask);
    } else {
      extras.replaceAll(extra -> extra.index() == subTask.index() ? subTask : extra);
    }
  }

  /** A sub-task has come to its end, which is recorded and counted. */
  void finish(SubTask finished) {
    replace(finished);
    tally = tally.plus(1, finished.status());
  }

  /** A sub-task that has ended, of the window, the extras or the archive, waits to run again. */
  void revive(SubTask ended, Instant runAt) {
    if (find(ended.index()).isEmpty()) {
      extras.add(ended);
    }
    replace(ended.retriedAt(runAt));
    tally = tally.minus(1, ended.status());
  }

  /** A run besides those of the schedule. */
  void addExtra(Origin origin, Optional<KeyedRequest> request, Instant dueAt, Instant runAt) {
    extraRuns++;
    extras.add(SubTask.waiting(-extraRuns, origin, request, dueAt, runAt));
  }

  void start(SubTask next, Claim claim, Instant leaseUntil) {
    replace(next.running(claim.worker(), now));
    leases.add(new Lease(next.index(), claim, leaseUntil));
  }

  /** What is parked besides the given one waits in the store from now on. */
  void unparkAllBut(Optional<SubTask> kept) {
    for (SubTask parked : all(subTask -> subTask.status() == SubTaskStatus.PENDING)) {
      if (kept.isEmpty() || kept.get().index() != parked.index()) {
        replace(parked.unparked());
      }
    }
  }

  /** Goes on to the next sub-task of the schedule that the chain has to wait for. */
  void advance(Chain.Settings settings) {
    generateAhead(settings);
    while (atCursor().filter(this::isPassed).isPresent()) {
      cursor++;
      generateAhead(settings);
    }
  }

  private boolean isPassed(SubTask subTask) {
    boolean hasBegun = subTask.attempt() > 0;
    return subTask.status().isFinished() || (hasBegun && definition.overlap() == Overlap.ALLOW);
  }

  /**
   * Why the sub-task at the cursor is not to be run; empty when it is.
   *
   * @param surplus how many were missed and are not made up for
   */
  Optional<String> reasonToSkip(int surplus) {
    Optional<SubTask> next = atCursor().filter(s -> s.status().isWaiting() && s.attempt() == 0);
    if (next.isEmpty()) {
      return Optional.empty();
    }
    if (busy.isPresent() && busy.get().covers(next.get().runAt())) {
      return Optional.of("overlap: another run was on from " + busy.get().from());
    }
    return surplus > 0
        ? Optional.of(definition.misfire().reason(next.get(), now))
        : Optional.empty();
  }

  void skipAtCursor(String why) {
    finish(atCursor().orElseThrow().skipped(why));
  }

  /** Another run was on meanwhile; matters where what falls due then is skipped. */
  void addBusy(Instant from) {
    if (definition.overlap() == Overlap.SKIP) {
      Busy another = new Busy(from.isAfter(now) ? now : from, now);
      busy = Optional.of(busy.map(another::and).orElse(another));
    }
  }

  /** Nothing that is to come has fallen due during another run. */
  void forgetBusyInThePast() {
    busy =
        busy.filter(b -> atCursor().filter(next -> next.runAt().isBefore(b.until())).isPresent());
  }

  /**
   * How many sub-tasks from the cursor on were missed and are not to be run; counted no further
   * than a little more than can be skipped at once.
   */
  int surplusMissed() {
    int kept = definition.misfire().rule().kept();
    int most = kept + Chain.MOST_SKIPPED_AT_ONCE + 1;
    int missed = 0;
    Optional<SubTask> next = atCursor();
    while (missed < most && next.isPresent() && isMissedOrEnded(next.get())) {
      missed += next.get().status().isFinished() ? 0 : 1;
      next = after(next.get());
    }
    return Math.max(0, missed - kept);
  }

  /** One that was canceled beforehand is neither missed, nor does it end the row of missed ones. */
  private boolean isMissedOrEnded(SubTask subTask) {
    return subTask.status().isFinished() || definition.misfire().isMissed(subTask, now);
  }

  /** The sub-task after the given one, whether the window has it or not. */
  private Optional<SubTask> after(SubTask subTask) {
    long index = subTask.index() + 1;
    Optional<SubTask> generated = inWindow(index);
    if (generated.isPresent()) {
      return generated;
    }
    OptionalLong limit = definition.schedule().maxRuns();
    if (limit.isPresent() && index >= limit.getAsLong()) {
      return Optional.empty();
    }
    return definition.schedule().next(subTask.dueAt()).map(due -> scheduled(index, due));
  }

  private SubTask scheduled(long index, Instant due) {
    return SubTask.scheduled(index, due, due.plus(jitter(index)));
  }

  private Duration jitter(long index) {
    return definition.schedule().jitterFor(SubTask.idempotencyKey(id, index));
  }

  /** When the schedule wanted a sub-task to start. */
  Instant plannedAt(SubTask subTask) {
    return subTask.origin() == Origin.SCHEDULE
        ? subTask.dueAt().plus(jitter(subTask.index()))
        : subTask.dueAt();
  }

  /** Fills the window up to so many sub-tasks from the cursor on, as far as the schedule goes. */
  void generate(Instant after, long ahead) {
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
   * Plans all that comes after now by the schedule as it is, in place of what was planned. An
   * instant to come that was canceled alone stays so where the schedule still has it, as long as it
   * is not farther away than it might have been {@linkplain Chain#cancelOne canceled} from.
   *
   * @param keepAtCursor whether the sub-task at the cursor stays as it is
   */
  void planAnew(boolean keepAtCursor, int ahead) {
    backfills.replaceAll(range -> range.keeping(scheduleBefore));
    if (hasEnded) { // those that were never generated give their indices to others
      tally = tally.minus(notGenerated(scheduleBefore), SubTaskStatus.SKIPPED);
    }
    long first = keepAtCursor ? cursor + 1 : firstCanceledBeforehand();
    Optional<Instant> due = dueFirst(first);
    if (due.isEmpty()) { // what is there already stays
      first = Math.max(first, cursor);
    }
    Set<Instant> canceled = new HashSet<>();
    for (SubTask planned : List.copyOf(subTasks)) {
      if (planned.index() >= first) {
        subTasks.remove(subTasks.size() - 1);
        if (planned.status().isFinished()) { // canceled beforehand: counted where it comes to be
          tally = tally.minus(1, planned.status());
          canceled.add(planned.dueAt());
        }
      }
    }
    if (due.isPresent()) {
      hasEnded = false;
      cursor = Math.min(cursor, first);
      subTasks.add(scheduled(first, due.get()));
      generate(now, Math.max(ahead, upToLast(canceled, due.get())));
      endWaiting(
          subTasks,
          planned -> planned.index() >= cursor && canceled.contains(planned.dueAt()),
          SubTask::canceled);
    }
  }

  /** The index of the first of those right before the cursor whose time is still to come. */
  private long firstCanceledBeforehand() {
    long first = cursor;
    while (inWindow(first - 1)
        .filter(s -> s.status() == SubTaskStatus.CANCELED && s.dueAt().isAfter(now))
        .isPresent()) {
      first--;
    }
    return first;
  }

  private Optional<Instant> dueFirst(long index) {
    OptionalLong limit = definition.schedule().maxRuns();
    boolean usedUp = limit.isPresent() && index >= limit.getAsLong();
    return usedUp ? Optional.empty() : definition.schedule().next(now);
  }

  /** How many sub-tasks there are from the cursor to the last of the given instants, or more. */
  private long upToLast(Set<Instant> canceled, Instant firstDue) {
    long most = Chain.FARTHEST_CANCELED;
    long afterFirst =
        canceled.stream()
            .max(Instant::compareTo)
            .filter(firstDue::isBefore)
            .map(last -> definition.schedule().count(firstDue, last).orElse(most))
            .orElse(0L);
    return 2 + Math.min(afterFirst, most); // the first, and one at the cursor that stays
  }

  /** Generates more when half of what was ahead is used up: most exchanges add nothing. */
  void generateAhead(Chain.Settings settings) {
    if (hasEnded) {
      return;
    }
    long ahead = subTasks.get(0).index() + subTasks.size() - cursor;
    if (ahead <= settings.generatedAhead() / 2) {
      generate(now, settings.generatedAhead());
    }
  }

  /**
   * Lets go of finished sub-tasks, many at a time: most exchanges change two sub-tasks only. What
   * has ended in this very step stays, since the archive gets sub-tasks as they were before it.
   * What has not ended stays as well, beside the window.
   */
  void letGo(Chain.Settings settings) {
    int passed = (int) (Math.min(cursorBefore, cursor) - subTasks.get(0).index());
    if (passed > 2 * settings.keptFinished() && subTasks.size() > settings.generatedAhead()) {
      int leaving = Math.min(passed - settings.keptFinished(), subTasks.size() - 1);
      while (leaving > 0 && !hasJustEnded(subTasks.get(0)) && !isStillToCome(leaving)) {
        SubTask first = subTasks.remove(0);
        if (!first.status().isFinished()) {
          extras.add(first);
        }
        leaving--;
      }
    }
    List<SubTask> over =
        extras.stream().filter(s -> s.status().isFinished() && !hasJustEnded(s)).toList();
    if (over.size() > 2 * settings.keptFinished()) {
      extras.removeAll(over.subList(0, over.size() - settings.keptFinished()));
    }
  }

  /** What is to come and canceled must be known when all is planned anew; not without limit. */
  private boolean isStillToCome(int leaving) {
    return subTasks.get(0).dueAt().isAfter(now) && leaving <= Chain.FARTHEST_CANCELED;
  }

  private boolean hasJustEnded(SubTask subTask) {
    return subTask.status().isFinished() && unfinishedBefore.contains(subTask.index());
  }

  /** Cancels every sub-task that waits, and counts those not generated yet as well. */
  void cancelRest() {
    backfills.clear();
    endWaiting(extras, waiting -> true, SubTask::canceled);
    endWaiting(subTasks, waiting -> true, SubTask::canceled);
    countRest(SubTaskStatus.CANCELED);
  }

  /** Skips every sub-task of the chain that has not begun, likewise, and goes to its end. */
  void skipRest(String why) {
    endWaiting(
        subTasks,
        waiting -> waiting.index() >= cursor && waiting.attempt() == 0,
        subTask -> subTask.skipped(why));
    countRest(SubTaskStatus.SKIPPED);
    cursor = subTasks.get(subTasks.size() - 1).index() + 1;
    hasEnded = true;
  }

  private void countRest(SubTaskStatus ended) {
    if (!hasEnded) {
      tally = tally.plus(notGenerated(definition.schedule()), ended);
    }
  }

  /** How many sub-tasks a schedule has after the last that was generated; 0 if it has no end. */
  private long notGenerated(Schedule schedule) {
    SubTask last = subTasks.get(subTasks.size() - 1);
    long generated = last.index() + 1;
    return Math.max(0, Task.totalSubTasks(last, schedule).orElse(0) - generated);
  }

  private void endWaiting(
      List<SubTask> among, Predicate<SubTask> condition, UnaryOperator<SubTask> end) {
    for (SubTask subTask : List.copyOf(among)) {
      if (subTask.status().isWaiting() && condition.test(subTask)) {
        finish(end.apply(subTask));
      }
    }
  }

  /**
   * Makes the next instant of the first range that is to be run into a sub-task, unless one waits
   * or runs already.
   *
   * @param runAt when it is to start
   */
  void fillBack(Instant runAt) {
    boolean isUnderWay =
        extras.stream().anyMatch(s -> s.origin() == Origin.BACKFILL && !s.status().isFinished());
    while (!isUnderWay && !backfills.isEmpty()) {
      Backfill first = backfills.get(0);
      Optional<Instant> due = first.nextIn(definition.schedule());
      if (due.isPresent()) {
        addExtra(Origin.BACKFILL, first.request(), due.get(), runAt);
        backfills.set(0, first.doneUntil(due.get()));
        isUnderWay = true;
      } else {
        backfills.remove(0);
      }
    }
  }

  /** Whether nothing is left that has to run, runs, or will be generated. */
  boolean isOver() {
    return atCursor().isEmpty()
        && backfills.isEmpty()
        && all(subTask -> !subTask.status().isFinished()).isEmpty();
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
        leases,
        cursor,
        subTasks,
        new Extras(extraRuns, extras, backfills),
        tally,
        busy,
        inLineSince,
        wakeAt);
  }
}
