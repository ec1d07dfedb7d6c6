package dev.carillon.mongo;

import dev.carillon.task.Origin;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTask.Parked;
import dev.carillon.task.SubTask.Run;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import java.time.Duration;
import java.util.Date;
import java.util.Optional;
import org.bson.Document;

/**
 * Sub-tasks as documents, in the window of their task and in the archive. What does not apply is
 * left out.
 */
final class SubTaskCodec {

  static final String INDEX = "index";
  static final String ORIGIN = "origin";
  static final String STATUS = "status";
  static final String ATTEMPT = "attempt";
  static final String QUEUE = "queue";
  static final String PARKED_AT = "parkedAt";
  static final String WORKER = "worker";
  static final String STARTED_AT = "startedAt";
  static final String FINISHED_AT = "finishedAt";
  static final String LATENESS = "latenessMs";

  /** In the archive only. */
  static final String TASK_ID = "taskId";

  /** In the archive only: the version of the task in which the sub-task was like this. */
  static final String TASK_VERSION = "taskVersion";

  private static final String DUE_AT = "dueAt";
  private static final String RUN_AT = "runAt";
  private static final String FAILED_ATTEMPTS = "failedAttempts";
  private static final String LOST_WORKERS = "lostWorkers";
  private static final String ERROR = "error";

  private SubTaskCodec() {}

  static Document encode(SubTask subTask) {
    Document document = new Document();
    encodeInto(document, subTask);
    return document;
  }

  /**
   * A sub-task in the archive. {@code finishedAt}, by which it is removed some day, is always
   * there: for one that never ran it is when it was meant to start.
   */
  static Document encodeArchived(Task task, SubTask subTask) {
    Document document =
        new Document(TaskCodec.ID, SubTask.idempotencyKey(task.id(), subTask.index()))
            .append(TASK_ID, task.id().value())
            .append(TASK_VERSION, task.version());
    encodeInto(document, subTask);
    document.putIfAbsent(FINISHED_AT, Date.from(subTask.runAt()));
    return document;
  }

  private static void encodeInto(Document document, SubTask subTask) {
    document.append(INDEX, subTask.index());
    if (subTask.origin() != Origin.SCHEDULE) {
      document.append(ORIGIN, subTask.origin().name());
    }
    subTask
        .request()
        .ifPresent(by -> document.append(RequestCodec.REQUEST, RequestCodec.encode(by)));
    document.append(DUE_AT, Date.from(subTask.dueAt()));
    if (!subTask.runAt().equals(subTask.dueAt())) {
      document.append(RUN_AT, Date.from(subTask.runAt()));
    }
    document.append(STATUS, subTask.status().name()).append(ATTEMPT, subTask.attempt());
    appendIfAny(document, FAILED_ATTEMPTS, subTask.failedAttempts());
    appendIfAny(document, LOST_WORKERS, subTask.lostWorkers());
    subTask
        .parked()
        .ifPresent(
            parked ->
                document.append(QUEUE, parked.queue()).append(PARKED_AT, Date.from(parked.at())));
    subTask.run().ifPresent(run -> encodeInto(document, run));
    subTask.error().ifPresent(error -> document.append(ERROR, error));
  }

  private static void encodeInto(Document document, Run run) {
    document.append(WORKER, run.worker()).append(STARTED_AT, Date.from(run.startedAt()));
    run.finishedAt().ifPresent(at -> document.append(FINISHED_AT, Date.from(at)));
    document.append(LATENESS, run.lateness().toMillis());
  }

  private static void appendIfAny(Document document, String name, int count) {
    if (count > 0) {
      document.append(name, count);
    }
  }

  /**
   * @throws IllegalArgumentException when the fields are not those of a sub-task
   */
  static SubTask decode(StoredFields fields) {
    return new SubTask(
        fields.number(INDEX),
        fields.optionalConstant(ORIGIN, Origin.class).orElse(Origin.SCHEDULE),
        RequestCodec.decode(fields),
        fields.time(DUE_AT),
        fields.optionalTime(RUN_AT).orElseGet(() -> fields.time(DUE_AT)),
        fields.constant(STATUS, SubTaskStatus.class),
        fields.smallNumber(ATTEMPT),
        fields.smallNumberOr(FAILED_ATTEMPTS, 0),
        fields.smallNumberOr(LOST_WORKERS, 0),
        fields.optionalText(QUEUE).map(queue -> new Parked(queue, fields.time(PARKED_AT))),
        fields.optionalTime(STARTED_AT).isPresent()
            ? Optional.of(decodeRun(fields))
            : Optional.empty(),
        fields.optionalText(ERROR));
  }

  private static Run decodeRun(StoredFields fields) {
    return new Run(
        fields.text(WORKER),
        fields.time(STARTED_AT),
        fields.optionalTime(FINISHED_AT),
        Duration.ofMillis(fields.number(LATENESS)));
  }
}
