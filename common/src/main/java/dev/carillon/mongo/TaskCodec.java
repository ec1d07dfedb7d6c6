package dev.carillon.mongo;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.definition.DefinitionWriter;
import dev.carillon.form.Form;
import dev.carillon.store.UnreadableTaskException;
import dev.carillon.task.Busy;
import dev.carillon.task.Concurrency;
import dev.carillon.task.SubTask;
import dev.carillon.task.Tally;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.util.Date;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.Document;

/**
 * Tasks as documents that a person with a Mongo shell understands. What does not apply is left out.
 * Times are kept in whole milliseconds.
 */
final class TaskCodec {

  static final String ID = "_id";
  static final String DEFINITION = "definition";
  static final String NAME = "definition.name";
  static final String OVERLAP = "definition.overlap";
  static final String TAGS = "definition.tags";
  static final String STATUS = "status";
  static final String CREATED_AT = "createdAt";
  static final String UPDATED_AT = "updatedAt";
  static final String CURSOR = "cursor";
  static final String VERSION = "version";
  static final String TOKEN = "token";
  static final String WAKE_AT = "wakeAt";
  static final String CONCURRENCY = "definition.concurrency";
  static final String IN_LINE = "inLine";
  static final String IN_LINE_KEY = IN_LINE + ".key";
  static final String IN_LINE_SINCE = IN_LINE + ".since";
  static final String SUB_TASKS = "subTasks";

  private static final String REVISION = "revision";
  private static final String COUNTS = "counts";
  private static final String BUSY = "busy";

  private TaskCodec() {}

  static Document encode(Task task) {
    Document document = new Document(ID, task.id().value());
    document.append(DEFINITION, encode(task.definition()));
    document.append(CREATED_AT, Date.from(task.createdAt()));
    document.putAll(encodeState(task));
    document.append(SUB_TASKS, encode(task.subTasks()));
    if (!task.extras().subTasks().isEmpty()) {
      document.append(ExtrasCodec.EXTRAS, encode(task.extras().subTasks()));
    }
    if (!task.leases().isEmpty()) {
      document.append(ClaimsCodec.CLAIMS, ClaimsCodec.encode(task.leases()));
    }
    return document;
  }

  static Document encode(TaskDefinition definition) {
    return new Document(DefinitionWriter.toStored(definition));
  }

  /** What changes with almost every exchange, sub-tasks and claims apart. */
  static Document encodeState(Task task) {
    Document document =
        new Document(STATUS, task.status().name())
            .append(REVISION, task.revision())
            .append(UPDATED_AT, Date.from(task.updatedAt()))
            .append(CURSOR, task.cursor())
            .append(
                COUNTS,
                new Document("succeeded", task.tally().succeeded())
                    .append("failed", task.tally().failed())
                    .append("skipped", task.tally().skipped())
                    .append("canceled", task.tally().canceled()))
            .append(VERSION, task.version())
            .append(TOKEN, task.token());
    ExtrasCodec.encodeState(document, task.extras());
    task.busy()
        .ifPresent(
            busy ->
                document.append(
                    BUSY,
                    new Document("from", Date.from(busy.from()))
                        .append("until", Date.from(busy.until()))));
    task.inLineSince()
        .ifPresent(
            since ->
                document.append(
                    IN_LINE,
                    new Document(
                            "key", task.definition().concurrency().map(Concurrency::key).orElse(""))
                        .append("since", Date.from(since))));
    task.wakeAt().ifPresent(at -> document.append(WAKE_AT, Date.from(at)));
    return document;
  }

  static List<Document> encode(List<SubTask> subTasks) {
    return subTasks.stream().map(SubTaskCodec::encode).toList();
  }

  /**
   * @throws UnreadableTaskException when the document is not a task
   */
  static Task decode(Document document) {
    try {
      return decode(new StoredFields(document));
    } catch (IllegalArgumentException wrong) {
      throw new UnreadableTaskException(document.get(ID), wrong.getMessage(), wrong);
    }
  }

  private static Task decode(StoredFields fields) {
    TaskId id = new TaskId(fields.text(ID));
    return new Task(
        id,
        decodeDefinition(fields.document(DEFINITION)),
        fields.number(REVISION),
        fields.constant(STATUS, TaskStatus.class),
        fields.time(CREATED_AT),
        fields.time(UPDATED_AT),
        fields.number(VERSION),
        fields.number(TOKEN),
        ClaimsCodec.decode(id, fields),
        fields.number(CURSOR),
        decodeWindow(fields),
        ExtrasCodec.decode(fields),
        decodeTally(fields.object(COUNTS)),
        fields.optionalObject(BUSY).map(busy -> new Busy(busy.time("from"), busy.time("until"))),
        fields.optionalObject(IN_LINE).map(inLine -> inLine.time("since")),
        fields.optionalTime(WAKE_AT));
  }

  static List<SubTask> decodeWindow(StoredFields fields) {
    return fields.objects(SUB_TASKS, SubTaskCodec::decode);
  }

  private static TaskDefinition decodeDefinition(Document stored) {
    Form form = Form.of(stored);
    return DefinitionReader.readStored(form)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    form.problems().stream()
                        .map(
                            problem -> DEFINITION + "." + problem.field() + " " + problem.message())
                        .collect(Collectors.joining("; "))));
  }

  private static Tally decodeTally(StoredFields counts) {
    return new Tally(
        counts.number("succeeded"),
        counts.number("failed"),
        counts.number("skipped"),
        counts.number("canceled"));
  }
}
