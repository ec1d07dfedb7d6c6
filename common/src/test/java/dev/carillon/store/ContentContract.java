package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.Backfill;
import dev.carillon.task.Busy;
import dev.carillon.task.Claim;
import dev.carillon.task.Extras;
import dev.carillon.task.KeyedRequest;
import dev.carillon.task.Lease;
import dev.carillon.task.Origin;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Tally;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a task may consist of comes back as it was. */
public abstract class ContentContract extends StoreContract {

  private static final String AWKWARD =
      " .a..b. $set $ {\"$ne\": 1} 'quotes\" \\ / \t\n ä ß é 漢字 \uD83D\uDE80 \u200F\u2028 %s %00 ";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "dots.in.the.name",
        "$dollar",
        "$",
        ".",
        "_id",
        "ä ß é 漢字 \uD83D\uDE80",
        "{\"$gt\": \"\"}",
        "null",
        "0"
      })
  void namesAndTagsSurvive(String text) {
    Task task = inserted(Map.of("name", text, "tags", List.of(text, "x" + text)));

    assertThat(stored(task)).isEqualTo(task);
    assertThat(
            store.list(
                new TaskQuery(
                    Optional.empty(), Optional.of(text), Optional.of(text), Optional.empty(), 10)))
        .containsExactly(task);
  }

  @Test
  void manyAreAddedTogetherAndThoseThatAreThereStayAsTheyAre() {
    Task there = inserted(Map.of("name", "there"));
    Task one = create(Map.of("name", "one"));
    Task two = create(Map.of("name", "two"));
    Task changed = chain.edit(there, definition(Map.of("name", "changed")), false, START);

    assertThat(store.insert(List.of(one, changed, two, one)))
        .containsExactly(true, false, true, false);

    assertThat(stored(there)).isEqualTo(there);
    assertThat(stored(one)).isEqualTo(one);
    assertThat(stored(two)).isEqualTo(two);
    assertThat(store.insert(List.of(one, two))).containsExactly(false, false);
    assertThat(store.insert(List.of())).isEmpty();
  }

  @Test
  void namesOfHeadersSurvive() {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String name :
        List.of("Content-Type", "X.Y", "$top", "a.$.b", "$", ".", "_id", "$ref", "$id", "0")) {
      headers.put(name, "value of " + name);
    }
    Task http =
        inserted(Map.of("action", Map.of("type", "http", "url", "http://h/", "headers", headers)));
    Task amqp =
        inserted(Map.of("action", Map.of("type", "amqp", "routingKey", "r", "headers", headers)));

    assertThat(((Action.Http) stored(http).definition().action()).headers())
        .containsExactlyEntriesOf(headers);
    assertThat(((Action.Amqp) stored(amqp).definition().action()).headers())
        .containsExactlyEntriesOf(headers);
    assertThat(stored(http)).isEqualTo(http);
    assertThat(stored(amqp)).isEqualTo(amqp);
    assertEditSurvives(http, amqp.definition());
  }

  @Test
  void metadataSurvives() {
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put("owner", AWKWARD);
    metadata.put("a$b", "");
    metadata.put("_id", "1");
    metadata.put("漢字 \uD83D\uDE80", "x".repeat(1_000));
    metadata.put("0", "digit");
    Task task = inserted(Map.of("metadata", metadata));

    assertThat(stored(task).definition().metadata()).containsExactlyEntriesOf(metadata);
    assertThat(stored(task)).isEqualTo(task);
    assertEditSurvives(inserted(), task.definition());
  }

  private void assertEditSurvives(Task task, TaskDefinition definition) {
    Task edited = exchanged(task, edited(task, definition, TaskStatus.ACTIVE, task.subTasks()));
    assertThat(stored(task)).isEqualTo(edited);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "true",
        "0",
        "-0",
        "1.10",
        "1E+400",
        "123456789012345678901234567890.000000000000000000001",
        "9223372036854775808",
        "{\"\":1,\"$set\":{\"a.b\":[null,{\"$\":\"\"}]},\"a\":\"\\u0000\"}",
        "[\"\\u0000\",\"ä\uD83D\uDE80\",1e2]",
        " { \"spaces\" :\n 1 } "
      })
  void jsonBodiesSurviveByteForByte(String json) {
    assertBodySurvives(Body.json(json));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{}", "line\r\nline\n", "NUL \u0000 inside", "ä\uD83D\uDE80"})
  void textBodiesSurviveByteForByte(String text) {
    assertBodySurvives(Body.text(text));
  }

  @Test
  void largeBodiesSurvive() {
    assertBodySurvives(Body.json("\"" + "ä".repeat(500_000) + "\""));
  }

  private void assertBodySurvives(Body body) {
    Action action = new Action.Amqp("", "r", Map.of(), Map.of(), Optional.of(body), false);
    Task task = inserted(edited(create(Map.of()), with(action), TaskStatus.ACTIVE, window()));

    assertThat(((Action.Amqp) stored(task).definition().action()).body()).contains(body);
    assertThat(stored(task)).isEqualTo(task);
  }

  private static TaskDefinition with(Action action) {
    TaskDefinition plain = definition(Map.of());
    return plain.toBuilder().action(action).build();
  }

  private List<SubTask> window() {
    return create(Map.of()).subTasks();
  }

  @Test
  void theLastInstantThereIsSurvives() {
    Task task =
        inserted(Map.of("startTime", "9999-12-31T23:58:59.999Z", "metadata", Map.of("a", "b")));
    assertThat(task.subTasks()).hasSize(2);
    assertThat(task.subTasks().get(1).dueAt()).isEqualTo("9999-12-31T23:59:59.999Z");

    assertThat(stored(task)).isEqualTo(task);
    assertThat(store.overdue(task.wakeAt().orElseThrow(), 10)).containsExactly(task);
    assertThat(store.overdue(task.wakeAt().orElseThrow().minusMillis(1), 10)).isEmpty();
  }

  @Test
  void emptyStringsSurvive() {
    Task task = create(Map.of());
    Instant at = START.plusSeconds(60);
    SubTask pending =
        subTask(SubTaskStatus.PENDING, Optional.of(new SubTask.Parked("", at)), Optional.empty());
    SubTask running =
        subTask(
            SubTaskStatus.RUNNING,
            Optional.empty(),
            Optional.of(new SubTask.Run("", at, Optional.empty(), Duration.ZERO)));
    Task waiting = inserted(edited(task, task.definition(), TaskStatus.ACTIVE, List.of(pending)));
    Task other = create(Map.of());
    Task claimed =
        inserted(withClaim(other, new Claim(other.id(), other.token(), "", ""), running));

    assertThat(stored(waiting)).isEqualTo(waiting);
    assertThat(stored(claimed)).isEqualTo(claimed);
    assertThat(store.extend(List.of(claimOf(claimed)), at)).containsExactly(true);
  }

  private static SubTask subTask(
      SubTaskStatus status, Optional<SubTask.Parked> parked, Optional<SubTask.Run> run) {
    Instant at = START.plusSeconds(60);
    return new SubTask(
        0,
        Origin.SCHEDULE,
        Optional.empty(),
        at,
        at,
        status,
        1,
        0,
        0,
        parked,
        run,
        Optional.of(""));
  }

  private static Task withClaim(Task task, Claim claim, SubTask running) {
    return new Task(
        task.id(),
        task.definition(),
        task.revision(),
        task.status(),
        task.createdAt(),
        task.updatedAt(),
        task.version(),
        task.token(),
        List.of(new Lease(0, claim, START.plusSeconds(90))),
        0,
        List.of(running),
        Extras.NONE,
        task.tally(),
        Optional.empty(),
        Optional.empty(),
        task.wakeAt());
  }

  @Test
  void everyFieldOfASubTaskSurvives() {
    Task task = create(Map.of());
    Instant at = START.plusSeconds(60);
    List<SubTask> all =
        List.of(
            new SubTask(
                4_000_000_000L,
                Origin.SCHEDULE,
                Optional.empty(),
                at,
                at.plusMillis(1),
                SubTaskStatus.PENDING,
                7,
                4,
                2,
                Optional.of(new SubTask.Parked(AWKWARD, at.minusMillis(1))),
                Optional.of(
                    new SubTask.Run(
                        AWKWARD,
                        at.plusMillis(2),
                        Optional.of(at.plusMillis(3)),
                        Duration.ofDays(400_000))),
                Optional.of(AWKWARD)),
            new SubTask(
                4_000_000_001L,
                Origin.SCHEDULE,
                Optional.empty(),
                at,
                at,
                SubTaskStatus.SKIPPED,
                0,
                0,
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.of("misfire")));
    SubTask triggered =
        new SubTask(
            -5_000_000_000L,
            Origin.TRIGGER,
            Optional.of(new KeyedRequest(AWKWARD, AWKWARD, at)),
            at,
            at,
            SubTaskStatus.RUNNING,
            1,
            0,
            0,
            Optional.empty(),
            Optional.of(new SubTask.Run("w", at, Optional.empty(), Duration.ZERO)),
            Optional.empty());
    SubTask filledBack =
        new SubTask(
            -4_999_999_999L,
            Origin.BACKFILL,
            Optional.of(new KeyedRequest("k", "f", at)),
            at,
            at.plusSeconds(1),
            SubTaskStatus.SCHEDULED,
            0,
            0,
            0,
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    Extras extras =
        new Extras(
            5_000_000_000L,
            List.of(triggered, filledBack),
            List.of(
                new Backfill(
                    START.minusSeconds(9),
                    START,
                    START.minusSeconds(1),
                    Optional.of(definition(Map.of("exclude", List.of("2027-01-05"))).schedule()),
                    Optional.of(new KeyedRequest(AWKWARD, "", START))),
                Backfill.of(START.minusSeconds(9), START)));
    Task stored =
        new Task(
            task.id(),
            task.definition(),
            5_000_000_000L,
            TaskStatus.PAUSED,
            task.createdAt(),
            task.updatedAt().plusMillis(1),
            6_000_000_000L,
            7_000_000_000L,
            List.of(
                new Lease(
                    -5_000_000_000L, new Claim(task.id(), 6_999_999_999L, AWKWARD, AWKWARD), at),
                new Lease(
                    4_000_000_000L, new Claim(task.id(), 7_000_000_000L, AWKWARD, ""), START)),
            4_000_000_000L,
            all,
            extras,
            new Tally(8_000_000_000L, 9_000_000_000L, 1, 10_000_000_000L),
            Optional.of(new Busy(START, START.plusMillis(1))),
            Optional.of(START.plusMillis(2)),
            Optional.of(Instant.EPOCH.minusMillis(1)));
    store.insert(stored);

    assertThat(stored(stored)).isEqualTo(stored);
    assertThat(store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), 0, 10))).isEqualTo(all);
    assertThat(store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), -9_000_000_000L, 3)))
        .containsExactly(triggered, filledBack, all.get(0));
  }

  @Test
  void errorsSurviveEachStep() {
    Task started = started(inserted());
    Task failed =
        exchanged(
            started, chain.complete(started, new Outcome.Failed(AWKWARD, true), dueAt(started)));
    Task again = started(failed);

    assertThat(again.live().orElseThrow().error()).contains(AWKWARD);
    assertThat(stored(again)).isEqualTo(again);
  }
}
