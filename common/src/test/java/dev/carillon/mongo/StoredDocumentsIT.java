package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Updates;
import dev.carillon.queue.Notice;
import dev.carillon.store.ClaimAnswer.Gone;
import dev.carillon.store.StoreContract;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskListing.Unreadable;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.store.UnreadableTaskException;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.testkit.TestStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the documents look like to people, and what happens when people have changed them. */
final class StoredDocumentsIT extends StoreContract {

  private MongoClient client;
  private MongoDatabase database;
  private MongoCollection<Document> tasks;

  @Override
  protected TaskStore open() {
    MongoSettings settings =
        MongoSettings.of(TestStore.shared().freshDatabase(), "StoredDocumentsIT");
    client = MongoClients.create(settings.uri());
    database = client.getDatabase(settings.database());
    tasks = database.getCollection("tasks");
    MongoTaskStore opened = MongoTaskStore.open(settings);
    opened.start();
    return opened;
  }

  @AfterEach
  void closeClient() {
    client.close();
  }

  private Document documentOf(Task task) {
    return tasks.find(new Document("_id", task.id().value())).first();
  }

  @Test
  void aTaskIsADocumentThatPeopleUnderstand() {
    Task waiting =
        inserted(
            Map.of(
                "maxRuns",
                2,
                "tags",
                List.of("garden"),
                "action",
                Map.of(
                    "type",
                    "http",
                    "url",
                    "http://h/",
                    "headers",
                    Map.of("X.Y", "z"),
                    "body",
                    Map.of("a.b", 1))));
    Task first = started(waiting);
    Instant failedAt = dueAt(waiting).plusMillis(250);
    Task failed =
        exchanged(first, chain.complete(first, new Outcome.Failed("no water", true), failedAt));
    Task running = started(failed);
    Instant runAt = running.live().orElseThrow().runAt();

    assertThat(documentOf(running))
        .isEqualTo(
            Document.parse(
                """
                {
                  "_id": "%s",
                  "definition": {
                    "name": "water the plants",
                    "interval": 1,
                    "startTime": "2027-01-04T08:01:00Z",
                    "maxRuns": {"$numberLong": "2"},
                    "startTimeIsDefault": true,
                    "action": {
                      "type": "http",
                      "method": "POST",
                      "url": "http://h/",
                      "headers": [{"name": "X.Y", "value": "z"}],
                      "body": {"json": "{\\"a.b\\":1}"},
                      "timeout": "PT30S",
                      "verbatim": false
                    },
                    "retry": {
                      "maxAttempts": 3,
                      "initialDelay": "PT10S",
                      "factor": 2.0,
                      "maxDelay": "PT1H"
                    },
                    "timeout": "PT5M",
                    "misfire": "run-latest",
                    "misfireGrace": "PT1M",
                    "overlap": "wait",
                    "priority": "normal",
                    "tags": ["garden"],
                    "metadata": {}
                  },
                  "createdAt": {"$date": "2027-01-04T08:00:00Z"},
                  "status": "ACTIVE",
                  "revision": {"$numberLong": "1"},
                  "updatedAt": {"$date": "RUN_AT"},
                  "cursor": {"$numberLong": "0"},
                  "counts": {
                    "succeeded": {"$numberLong": "0"},
                    "failed": {"$numberLong": "0"},
                    "skipped": {"$numberLong": "0"},
                    "canceled": {"$numberLong": "0"}
                  },
                  "version": {"$numberLong": "4"},
                  "token": {"$numberLong": "2"},
                  "claims": {
                    "t2": {
                      "index": {"$numberLong": "0"},
                      "worker": "worker-1",
                      "id": "%s",
                      "leaseUntil": {"$date": "LEASE_END"}
                    }
                  },
                  "wakeAt": {"$date": "LEASE_END"},
                  "subTasks": [
                    {
                      "index": {"$numberLong": "0"},
                      "dueAt": {"$date": "2027-01-04T08:01:00Z"},
                      "runAt": {"$date": "RUN_AT"},
                      "status": "RUNNING",
                      "attempt": 2,
                      "failedAttempts": 1,
                      "worker": "worker-1",
                      "startedAt": {"$date": "RUN_AT"},
                      "latenessMs": {"$numberLong": "0"},
                      "error": "no water"
                    },
                    {
                      "index": {"$numberLong": "1"},
                      "dueAt": {"$date": "2027-01-04T08:02:00Z"},
                      "status": "SCHEDULED",
                      "attempt": 0
                    }
                  ]
                }
                """
                    .formatted(running.id(), claimOf(running).id())
                    .replace("RUN_AT", runAt.toString())
                    .replace("LEASE_END", runAt.plusSeconds(30).toString())));
  }

  /** Of a version in which a task had one claim only, whose worker has been stopped. */
  @Test
  void aClaimOfBeforeIsTakenOverAndForgotten() {
    Task running = started(inserted());
    Instant end = running.wakeAt().orElseThrow();
    tasks.updateOne(
        new Document("_id", running.id().value()),
        Updates.combine(
            Updates.unset("claims"),
            Updates.set(
                "claim", new Document("worker", "worker-1").append("id", claimOf(running).id()))));
    assertThat(stored(running)).isEqualTo(running);
    assertThat(store.overdue(end, 10)).containsExactly(running);

    Task takenOver = exchanged(running, chain.wake(running, end));

    assertThat(stored(running)).isEqualTo(takenOver);
    assertThat(documentOf(running)).doesNotContainKeys("claim", "claims");
    assertThat(started(takenOver).claim()).isPresent();
  }

  @Test
  void aTaskOfWhichSeveralRunTellsWhich() {
    Task task = inserted(Map.of("overlap", "allow"));
    Claim claim = request(task).claim();
    Instant now = dueAt(task);
    Task begun = exchanged(task, chain.begin(task, claim, now, now.plus(LEASE)));
    Task triggered = exchanged(begun, chain.trigger(begun, now));

    Document document = documentOf(triggered);

    assertThat(document.get("claims", Document.class)).containsOnlyKeys("t1");
    assertThat(document.getEmbedded(List.of("claims", "t1", "index"), Long.class)).isZero();
    assertThat(document.getList("extras", Document.class).get(0))
        .containsEntry("index", -1L)
        .containsEntry("origin", "TRIGGER")
        .containsEntry("status", "PENDING");
    assertThat(document).containsEntry("extraRuns", 1L).doesNotContainKey("backfills");
  }

  @Test
  void aSubTaskInTheArchiveIsTheSameWithItsTask() {
    Task task = inserted(create(smallChain, Map.of()));
    while (task.subTasks().get(0).index() == 0) {
      task = fired(smallChain, task);
    }

    Document archived =
        database.getCollection("sub_tasks").find(new Document("taskId", task.id().value())).first();

    assertThat(archived)
        .isEqualTo(
            Document.parse(
                """
                {
                  "_id": "%1$s_0",
                  "taskId": "%1$s",
                  "taskVersion": {"$numberLong": "%2$d"},
                  "index": {"$numberLong": "0"},
                  "dueAt": {"$date": "2027-01-04T08:01:00Z"},
                  "status": "SUCCEEDED",
                  "attempt": 1,
                  "worker": "worker-1",
                  "startedAt": {"$date": "2027-01-04T08:01:00Z"},
                  "finishedAt": {"$date": "2027-01-04T08:01:00Z"},
                  "latenessMs": {"$numberLong": "0"}
                }
                """
                    .formatted(task.id(), task.version() - 1)));
    assertThat(archived.getString("_id")).isEqualTo(SubTask.idempotencyKey(task.id(), 0));
  }

  @Test
  void theDocumentOfALongChainStaysSmall() {
    Task task = inserted(Map.of("jitter", "PT10S"));
    for (int i = 0; i < 150; i++) {
      task = fired(chain, task);
      if (i % 10 == 0) {
        assertThat(sizeOf(task)).as("bytes after %d firings", i).isLessThan(100_000);
      }
    }
  }

  /** All up to that one are generated. */
  @Test
  void theDocumentStaysSmallAlsoWhenOneFarAheadIsCanceled() {
    Task task = inserted(Map.of("jitter", "PT10S"));
    task = exchanged(task, chain.cancelOne(task, Chain.FARTHEST_CANCELED, START).orElseThrow());

    assertThat(task.subTasks()).hasSize(Chain.FARTHEST_CANCELED + 1);
    assertThat(sizeOf(task)).isLessThan(60_000);
  }

  /**
   * By the fastest of several tries, beside the first page: a scan would take a thousand times as
   * long.
   */
  @Test
  void aPageOfALongHistoryCostsTheSameWhereverItIs() {
    int length = 50_000;
    Task task = inserted(Map.of());
    MongoCollection<Document> history = database.getCollection("sub_tasks");
    Instant finishedAt = START.plusSeconds(1);
    SubTask finished =
        chain.complete(started(task), new Outcome.Succeeded(), finishedAt).subTask(0).orElseThrow();
    Document model = SubTaskCodec.encodeArchived(task, finished);
    for (int from = 0; from < length; from += 1_000) {
      List<Document> some = new ArrayList<>();
      for (long index = from; index < from + 1_000; index++) {
        Document one = new Document(model);
        one.put("_id", SubTask.idempotencyKey(task.id(), index));
        one.put("index", index);
        some.add(one);
      }
      history.insertMany(some);
    }

    Archive archive = new Archive(history);
    long first = quickest(() -> pageAt(archive, task, 0, length));
    for (int at : new int[] {length / 2, length - 50}) {
      assertThat(quickest(() -> pageAt(archive, task, at, length)))
          .as("nanoseconds for the page at %d", at)
          .isLessThan(20 * first);
    }
  }

  private static void pageAt(Archive archive, Task task, long from, long end) {
    List<SubTask> page =
        archive.find(
            task.id(),
            new SubTaskQuery(Optional.of(SubTaskStatus.SUCCEEDED), from, 50),
            end,
            List.of());
    assertThat(page)
        .extracting(SubTask::index)
        .containsExactlyElementsOf(LongStream.range(from, from + 50).boxed().toList());
  }

  private static long quickest(Runnable action) {
    return IntStream.range(0, 20)
        .mapToLong(
            i -> {
              long start = System.nanoTime();
              action.run();
              return System.nanoTime() - start;
            })
        .min()
        .orElseThrow();
  }

  private int sizeOf(Task task) {
    return tasks
        .withDocumentClass(RawBsonDocument.class)
        .find(new Document("_id", task.id().value()))
        .first()
        .getByteBuffer()
        .remaining();
  }

  @Test
  void aTaskThatCannotBeReadIsNamedWithItsProblems() {
    Task task = damaged(inserted());

    assertThatThrownBy(() -> store.find(task.id()))
        .isInstanceOf(UnreadableTaskException.class)
        .hasMessageContaining(task.id().value())
        .hasMessageContaining("definition.interval")
        .hasMessageContaining("definition.colour is not a known field");
    assertThat(store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), 0, 3))).hasSize(3);
  }

  @Test
  void onlyATaskThatCannotBeReadIsDiscarded() {
    Task damaged = damaged(inserted());
    Task whole = inserted();

    assertThat(store.discardUnreadable(whole.id())).isFalse();
    assertThat(store.discardUnreadable(damaged.id())).isTrue();

    assertThat(store.discardUnreadable(damaged.id())).isFalse();
    assertThat(store.find(damaged.id())).isEmpty();
    assertThat(store.find(whole.id())).isPresent();
  }

  @Test
  void aNoticeForATaskThatCannotBeReadIsDropped() {
    Task damaged = damaged(inserted());
    Task whole = inserted();
    Notice notice = notice(damaged);

    assertThat(claim(request(notice), notice.runAt())).isEqualTo(new Gone());
    assertThat(store.claim(List.of(request(notice), request(whole)), notice.runAt(), LEASE).get(1))
        .isNotEqualTo(new Gone());
  }

  @ParameterizedTest
  @ValueSource(strings = {"version", "cursor", "subTasks", "subTasks.0.index", "subTasks.0"})
  void aNoticeForATaskThatCannotBeClaimedIsDropped(String field) {
    Task damaged = inserted();
    tasks.updateOne(new Document("_id", damaged.id().value()), Updates.set(field, "nonsense"));
    Document before = documentOf(damaged);

    assertThat(claim(request(damaged), dueAt(damaged))).isEqualTo(new Gone());
    assertThat(documentOf(damaged)).isEqualTo(before);
  }

  @Test
  void aTaskThatCannotBeReadIsLeftOutOfAListWithoutMakingItShorter() {
    Task oldest = inserted();
    Task lower = damaged(inserted());
    Task middle = inserted();
    Task upper = damaged(inserted());
    Task uppermost = damaged(inserted());
    Task newest = inserted();
    tasks.insertOne(
        new Document("status", "not a task at all").append("wakeAt", Date.from(Instant.EPOCH)));

    assertThat(store.list(listed(3))).containsExactly(newest, middle, oldest);
    assertThat(store.list(listed(2))).containsExactly(newest, middle);
    assertThat(store.list(listed(1))).containsExactly(newest);
    assertThat(store.list(listed(10))).containsExactly(newest, middle, oldest);

    assertThat(store.listing(listed(10)).unreadable())
        .as("but named")
        .extracting(Unreadable::id)
        .containsExactly(uppermost.id().value(), upper.id().value(), lower.id().value());
    assertThat(store.listing(listed(2)).unreadable())
        .extracting(Unreadable::id)
        .containsExactly(uppermost.id().value(), upper.id().value());
    assertThat(store.listing(listed(1)).unreadable()).isEmpty();
    assertThat(store.listing(listed(10)).unreadable().get(0).problems())
        .contains("definition.interval", "definition.colour is not a known field");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{subTasks: []}", "{subTasks: 'nonsense'}", "{'subTasks.0.index': 'no'}"})
  void subTasksThatCannotBeReadAreNamedWithTheirProblems(String change) {
    Task task = inserted();
    tasks.updateOne(
        new Document("_id", task.id().value()), new Document("$set", Document.parse(change)));

    assertThatThrownBy(() -> store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), 0, 3)))
        .isInstanceOf(UnreadableTaskException.class)
        .hasMessageContaining(task.id().value())
        .hasMessageContaining("subTasks");
    assertThat(store.discardUnreadable(task.id())).isTrue();
    assertThat(store.find(task.id())).isEmpty();
  }

  private static TaskQuery listed(int limit) {
    return new TaskQuery(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), limit);
  }

  @Test
  void tasksThatCannotBeReadDoNotStandInTheWayOfWhatIsOverdue() {
    tasks.insertOne(
        new Document("status", "not a task at all").append("wakeAt", Date.from(Instant.EPOCH)));
    Task damaged = damaged(inserted(Map.of("interval", "PT10S")));
    Task whole = inserted(Map.of("interval", "PT20S"));
    Instant now = START.plusSeconds(60);

    // the first call may return nothing, but must get them out of the way
    store.overdue(now, 2);

    assertThat(store.overdue(now, 2)).containsExactly(whole);
    tasks.replaceOne(new Document("_id", damaged.id().value()), withWakeAtOf(damaged));
    Instant later = now.plus(TaskReads.UNREADABLE_PAUSE);
    assertThat(store.overdue(later.minusMillis(1), 5)).containsExactly(whole);
    assertThat(store.overdue(later, 5)).hasSize(2).contains(whole);
  }

  /** Repaired: as it was before, but for the wake-up time that it has now. */
  private Document withWakeAtOf(Task damaged) {
    Document whole = TaskCodec.encode(damaged);
    whole.put("wakeAt", documentOf(damaged).get("wakeAt"));
    return whole;
  }

  @Test
  void whatAShellHasWrittenAsAnotherKindOfNumberIsReadAllTheSame() {
    Task task = inserted();
    tasks.updateOne(
        new Document("_id", task.id().value()),
        Updates.combine(
            Updates.set("version", (double) task.version()),
            Updates.set("token", (int) task.token()),
            Updates.set("subTasks.0.attempt", 0.0)));

    assertThat(stored(task)).isEqualTo(task);
    Task next = fired(chain, task);
    assertThat(stored(task)).isEqualTo(next);
  }

  private Task damaged(Task task) {
    tasks.updateOne(
        new Document("_id", task.id().value()),
        Updates.combine(
            Updates.set("definition.interval", 0), Updates.set("definition.colour", "red")));
    return task;
  }
}
