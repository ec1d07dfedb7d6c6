package dev.carillon.api;

import dev.carillon.definition.DefinitionWriter;
import dev.carillon.task.Backfill;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Tally;
import dev.carillon.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Tasks and sub-tasks as answers show them. */
final class TaskView {

  private static final Pattern ENTITY_TAG = Pattern.compile("\"([0-9]{1,18})-[0-9]{1,18}\"");

  private TaskView() {}

  static Map<String, Object> of(Task task) {
    OptionalLong total = task.totalSubTasks();
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("id", task.id().toString());
    view.put("name", task.definition().name());
    view.put("status", task.status().name());
    view.putAll(DefinitionWriter.toUserForm(task.definition()));
    view.put("revision", task.revision());
    view.put("createdAt", task.createdAt().toString());
    view.put("updatedAt", task.updatedAt().toString());
    view.put("inLineSince", text(task.inLineSince()));
    view.put("nextDueAt", text(task.nextDueAt()));
    view.put("counts", counts(task, total));
    view.put("totalSubTasks", total.isPresent() ? total.getAsLong() : null);
    view.put("subTasks", task.subTasks().stream().map(TaskView::of).toList());
    view.put("extras", task.extras().subTasks().stream().map(TaskView::of).toList());
    view.put("backfills", task.extras().backfills().stream().map(TaskView::of).toList());
    return view;
  }

  private static Map<String, Object> of(Backfill range) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("from", range.from().toString());
    view.put("to", range.to().toString());
    view.put("doneUntil", range.done().isBefore(range.from()) ? null : range.done().toString());
    return view;
  }

  static Map<String, Object> of(SubTask subTask) {
    Optional<SubTask.Run> run = subTask.run();
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("index", subTask.index());
    view.put("origin", subTask.origin().name());
    view.put("dueAt", subTask.dueAt().toString());
    view.put("status", subTask.status().name());
    view.put("attempt", subTask.attempt());
    view.put("queue", subTask.parked().map(SubTask.Parked::queue).orElse(null));
    view.put("startedAt", text(run.map(SubTask.Run::startedAt)));
    view.put("finishedAt", text(run.flatMap(SubTask.Run::finishedAt)));
    view.put("worker", run.map(SubTask.Run::worker).orElse(null));
    view.put("latenessMs", run.map(SubTask.Run::lateness).map(Duration::toMillis).orElse(null));
    view.put("error", subTask.error().orElse(null));
    return view;
  }

  /** Names the task as it is: changes with everything that can be seen of it. */
  static String entityTag(Task task) {
    return "\"" + task.revision() + "-" + task.version() + "\"";
  }

  /**
   * The revision that an entity tag is about: what changes by itself, as the task fires, is not
   * what somebody who edits it has to know. Empty when it is no entity tag of a task.
   */
  static OptionalLong revisionIn(String entityTag) {
    Matcher matcher = ENTITY_TAG.matcher(entityTag.strip());
    return matcher.matches()
        ? OptionalLong.of(Long.parseLong(matcher.group(1)))
        : OptionalLong.empty();
  }

  /**
   * Of all sub-tasks there are, extra runs and those not generated yet included. The tally knows of
   * all that have ended; the others are in the task or still to be generated.
   */
  private static Map<String, Object> counts(Task task, OptionalLong total) {
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put(
        "SCHEDULED", waitingOrRunning(task, SubTaskStatus.SCHEDULED) + notGenerated(task, total));
    counts.put("PENDING", waitingOrRunning(task, SubTaskStatus.PENDING));
    counts.put("RUNNING", waitingOrRunning(task, SubTaskStatus.RUNNING));
    Tally tally = task.tally();
    counts.put("SUCCEEDED", tally.succeeded());
    counts.put("FAILED", tally.failed());
    counts.put("SKIPPED", tally.skipped());
    counts.put("CANCELED", tally.canceled());
    return counts;
  }

  private static long waitingOrRunning(Task task, SubTaskStatus status) {
    return Stream.concat(task.subTasks().stream(), task.extras().subTasks().stream())
        .filter(subTask -> subTask.status() == status)
        .count();
  }

  /** None is left once the task, or its schedule, is over: the tally has counted them. */
  private static long notGenerated(Task task, OptionalLong total) {
    boolean hasEnded = task.subTask(task.cursor()).isEmpty();
    if (total.isEmpty() || task.status().isFinal() || hasEnded) {
      return 0;
    }
    long generated = task.subTasks().get(task.subTasks().size() - 1).index() + 1;
    return Math.max(0, total.getAsLong() - generated);
  }

  private static String text(Optional<Instant> instant) {
    return instant.map(Instant::toString).orElse(null);
  }
}
