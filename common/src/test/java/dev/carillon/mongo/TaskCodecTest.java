package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.store.UnreadableTaskException;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Task;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a document is told; the way there and back is in the store's contract. */
final class TaskCodecTest {

  private static final Task TASK =
      new Chain(Tasks.parking(Duration.ofDays(1)), Chain.Settings.DEFAULT)
          .create(Tasks.id(1), Tasks.every(Duration.ofMinutes(1), 3), Tasks.NOW)
          .orElseThrow();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          _id                | "not an id"                      | not a task id: not an id
          status             | "WAITING"                        | status must be one of [ACTIVE,
          status             | null                             | status is missing
          version            | "1"                              | version must be a whole number
          version            | 1.5                              | version must be a whole number
          createdAt          | "2027-01-04T08:00:00Z"           | createdAt must be a date
          definition         | null                             | definition is missing
          definition.name    | null                             | definition.name is required
          definition.maxRuns | 0                                | definition.maxRuns must be from 1
          claim              | "somebody"                       | claim must be an object
          claim              | {"worker": "w"}                  | claim.id is missing
          counts.failed      | null                             | counts.failed is missing
          subTasks           | {}                               | subTasks must be an array
          subTasks           | []                               | at least one sub-task
          subTasks.1         | 7                                | subTasks.1 must be an object
          subTasks.1.index   | 5                                | gap
          subTasks.1.attempt | 5000000000                       | subTasks.1.attempt is too large
          subTasks.2.status  | "GONE"                           | subTasks.2.status must be one of
          subTasks.0.queue   | 1                                | subTasks.0.queue must be a string
          subTasks.0.parkedAt| null                             | subTasks.0.parkedAt is missing
          claims             | {"x": {}}                        | claims.x is not named after a token
          claims             | {"t1": {"index": 9, "worker": "w", "id": "c", "leaseUntil": {"$date": 0}}} | is for no sub-task
          extras             | {}                               | extras must be an array
          extras             | [{"index": -1}]                  | extras.0.dueAt is missing
          backfills          | [{"from": 1}]                    | backfills.0.from must be a date
          """)
  void aWrongFieldIsNamed(String path, String json, String message) {
    Document document = stored();
    assertThat(TaskCodec.decode(document)).isEqualTo(TASK);

    put(document, path, Document.parse("{\"v\": " + json + "}").get("v"));

    assertThatThrownBy(() -> TaskCodec.decode(document))
        .isInstanceOf(UnreadableTaskException.class)
        .hasMessageContaining(String.valueOf(document.get("_id")))
        .hasMessageContaining(message);
  }

  /** As it comes from a server. */
  private static Document stored() {
    return Document.parse(
        TaskCodec.encode(TASK)
            .toJson(JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build()));
  }

  private static void put(Document document, String path, Object value) {
    Object parent = document;
    String[] names = path.split("\\.", -1);
    for (int i = 0; i < names.length - 1; i++) {
      parent =
          parent instanceof List<?> list
              ? list.get(Integer.parseInt(names[i]))
              : ((Document) parent).get(names[i]);
    }
    String last = names[names.length - 1];
    if (parent instanceof List<?> list) {
      List<Object> changed = new ArrayList<>(list);
      changed.set(Integer.parseInt(last), value);
      document.put(names[0], changed);
    } else if (value == null) {
      ((Document) parent).remove(last);
    } else {
      ((Document) parent).put(last, value);
    }
  }

  /** As they were when a task could have one claim only, and no extras. */
  @Test
  void documentsOfBeforeAreRead() {
    Instant leaseUntil = Tasks.NOW.plusSeconds(90);
    Claim claim = new Claim(TASK.id(), TASK.token(), "w", "c");
    Task running = Chain.start(TASK, claim, Tasks.NOW.plusSeconds(60), leaseUntil);
    Document before = TaskCodec.encode(running);
    before.get("definition", Document.class).remove("overlap");
    before.remove("claims");
    before.append("claim", new Document("worker", "w").append("id", "c"));

    assertThat(TaskCodec.decode(before)).isEqualTo(running);
  }
}
