package dev.carillon.api;

import static dev.carillon.api.RunningApi.idOf;
import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.task.Chain;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be done with single runs: triggering, filling back, trying again, calling off. */
@Timeout(180)
final class SubTaskTest {

  private static final String UNKNOWN = "/api/tasks/01jgftvxg0abcdefghjkmnpqrs";

  /** A small window, so that a few firings fill the archive. */
  private final RunningApi api =
      new RunningApi(RunningApi.SETTINGS, new Chain.Settings(Duration.ofSeconds(5), 6, 1, 5));

  @AfterEach
  void stop() {
    api.close();
  }

  private static String path(TaskId id) {
    return "/api/tasks/" + id;
  }

  private Task stored(TaskId id) {
    return api.memory.find(id).orElseThrow();
  }

  private SubTaskStatus statusOf(TaskId id, long index) throws Exception {
    JsonNode found = json(api.get(path(id) + "/sub-tasks/" + index));
    return SubTaskStatus.valueOf(found.get("status").asText());
  }

  private static void isProblem(HttpResponse<String> answer, int status, String detail)
      throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(json(answer).get("detail").asText()).contains(detail);
  }

  @Test
  void triggeringMakesAnExtraRunThatIsParkedAtOnce() throws Exception {
    TaskId id = idOf(api.create("x", 5));

    HttpResponse<String> answer = api.postTo(path(id) + "/trigger");

    assertThat(answer.statusCode()).isEqualTo(201);
    String location = path(id) + "/sub-tasks/-1";
    assertThat(answer.headers().firstValue("Location")).contains(location);
    JsonNode extra = json(answer);
    assertThat(extra.get("index").asLong()).isEqualTo(-1);
    assertThat(extra.get("origin").asText()).isEqualTo("TRIGGER");
    assertThat(extra.get("status").asText()).isEqualTo("PENDING");
    assertThat(json(api.get(location))).isEqualTo(extra);
    JsonNode task = json(api.get(path(id)));
    assertThat(task.get("extras")).containsExactly(extra);
    assertThat(task.at("/counts/PENDING").asInt()).isEqualTo(1);
    assertThat(task.get("totalSubTasks").asInt()).isEqualTo(5);

    api.fire(id, 6);

    assertThat(stored(id).status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(stored(id).tally().succeeded()).isEqualTo(6);
    assertThat(indices(id)).containsExactly(-1L, 0L, 1L, 2L, 3L, 4L);
  }

  private List<Long> indices(TaskId id) throws Exception {
    List<Long> indices = new ArrayList<>();
    JsonNode page = json(api.get(path(id) + "/sub-tasks?limit=2"));
    while (true) {
      page.get("items").forEach(subTask -> indices.add(subTask.get("index").asLong()));
      if (page.get("nextCursor").isNull()) {
        return indices;
      }
      String cursor = page.get("nextCursor").asText();
      page = json(api.get(path(id) + "/sub-tasks?limit=2&cursor=" + cursor));
    }
  }

  @Test
  void aPausedTaskCanBeTriggered() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    api.postTo(path(id) + "/pause");

    assertThat(api.postTo(path(id) + "/trigger").statusCode()).isEqualTo(201);
    api.fire(id, 1);

    assertThat(statusOf(id, -1)).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(stored(id).status()).isEqualTo(TaskStatus.PAUSED);
    assertThat(stored(id).next()).isEmpty();
  }

  @Test
  void tooManyExtraRunsAreRefused() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    for (int i = 0; i < Chain.MOST_EXTRAS; i++) {
      assertThat(api.postTo(path(id) + "/trigger").statusCode()).isEqualTo(201);
    }

    isProblem(api.postTo(path(id) + "/trigger"), 409, "100 runs wait already");
  }

  @Test
  void whatIsOverIsNotTriggeredOrFilledBack() throws Exception {
    TaskId canceled = idOf(api.create("y", 1));
    api.delete(path(canceled));
    TaskId finished = idOf(api.create("x", 1));
    api.fire(finished, 1);
    String range = range(RunningApi.NOW.minusSeconds(9), RunningApi.NOW.minusSeconds(1));

    isProblem(api.postTo(path(finished) + "/trigger"), 409, "is FINISHED");
    isProblem(api.postTo(path(canceled) + "/trigger"), 409, "is CANCELED");
    isProblem(api.postTo(path(finished) + "/backfill", range), 409, "is FINISHED");
    isProblem(api.postTo(path(canceled) + "/backfill", range), 409, "is CANCELED");
  }

  @ParameterizedTest
  @ValueSource(strings = {UNKNOWN, "/api/tasks/x"})
  void ofAnUnknownTaskNothingIsKnown(String path) throws Exception {
    String range = range(RunningApi.NOW.minusSeconds(9), RunningApi.NOW.minusSeconds(1));

    isProblem(api.postTo(path + "/trigger"), 404, "there is no task");
    isProblem(api.postTo(path + "/backfill", range), 404, "there is no task");
    isProblem(api.get(path + "/sub-tasks/0"), 404, "there is no");
    isProblem(api.delete(path + "/sub-tasks/0"), 404, "there is no");
    isProblem(api.postTo(path + "/sub-tasks/0/retry"), 404, "there is no");
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "-1", "x", "01", "-0", "9999999999999999999"})
  void anUnknownSubTaskIsNotThere(String index) throws Exception {
    String path = path(idOf(api.create("x", 5))) + "/sub-tasks/" + index;

    isProblem(api.get(path), 404, "there is no sub-task " + index);
    isProblem(api.delete(path), 404, "there is no sub-task " + index);
    isProblem(api.postTo(path + "/retry"), 404, "there is no sub-task " + index);
  }

  private static String range(Instant from, Instant to) {
    return "{\"from\": \"" + from + "\", \"to\": \"" + to + "\"}";
  }

  private TaskId createSince(Instant start, String overlap) throws Exception {
    HttpResponse<String> answer =
        api.post(
            "{\"name\": \"x\", \"interval\": 1, \"startTime\": \"%s\", \"overlap\": \"%s\"}"
                .formatted(start, overlap));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return idOf(json(answer));
  }

  @Test
  void aRangeIsRunInstantByInstant() throws Exception {
    Instant start = RunningApi.NOW.minusSeconds(600);
    TaskId id = createSince(start, "wait");

    HttpResponse<String> answer =
        api.postTo(path(id) + "/backfill", range(start.plusSeconds(60), start.plusSeconds(180)));

    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(json(answer))
        .hasToString(
            "{\"from\":\"2026-12-31T23:51:00Z\",\"to\":\"2026-12-31T23:53:00Z\",\"instants\":3}");
    assertThat(json(api.get(path(id))).at("/backfills/0/doneUntil").asText())
        .isEqualTo("2026-12-31T23:51:00Z");
    for (int i = 1; i <= 3; i++) {
      Won won = api.start(id);
      assertThat(won.subTask().index()).isEqualTo(-i);
      assertThat(won.subTask().dueAt()).isEqualTo(start.plusSeconds(60L * i));
      assertThat(stored(id).extras().subTasks()).hasSize(i); // never all at once
      api.complete(won, new Outcome.Succeeded());
    }
    assertThat(json(api.get(path(id))).get("backfills")).isEmpty();
    assertThat(api.start(id).subTask().index()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                       | from is required; to is required
          {"from": "x", "to": 1}                                   | from must be; to must be
          {"from": "2026-12-31T00:00:00Z", "to": "2027-01-01T00:00:00Z"} | to must be in the past
          {"from": "2026-12-31T00:00:00Z", "to": "2026-12-30T00:00:00Z"} | to must not be before from
          {"from": "2026-12-30T00:00:00Z", "to": "2026-12-30T00:00:00Z", "step": 1} | step is not a known
          {"from": "2020-12-30T00:00:00Z", "to": "2020-12-30T00:00:00Z"} | no instant in this range: the schedule only starts at 2026-11-01T00:00:00Z
          {"from": null, "to": "2026-12-30T00:00:00Z"}                | from is required
          {"from": "2026-11-30T00:00:00Z", "to": "2026-12-31T00:00:00Z"} | more than 10000 instants
          """)
  void aRangeThatCannotBeRunIsRefusedWithAllProblems(String body, String problems)
      throws Exception {
    TaskId id = createSince(Instant.parse("2026-11-01T00:00:00Z"), "wait");

    HttpResponse<String> answer = api.postTo(path(id) + "/backfill", body);

    assertThat(answer.statusCode()).isEqualTo(400);
    List<String> errors = new ArrayList<>();
    json(answer)
        .get("errors")
        .forEach(
            error -> errors.add(error.get("field").asText() + " " + error.get("message").asText()));
    String[] expected = problems.split("; ", -1);
    assertThat(errors).hasSize(expected.length);
    for (int i = 0; i < expected.length; i++) {
      assertThat(errors.get(i)).contains(expected[i]);
    }
    assertThat(stored(id).extras().runs()).isZero();
  }

  /** Of a time before the task was there, too: that is what one wants to make up for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "cron": "30 2 * * *", "timezone": "Europe/Berlin" | 2026-03-28T00:00:00Z | 2026-03-30T23:00:00Z | 3
          "cron": "30 2 * * *", "timezone": "Europe/Berlin", "dst": {"gap": "skip"} | 2026-03-28T00:00:00Z | 2026-03-30T23:00:00Z | 2
          "cron": "30 2 * * *", "timezone": "Europe/Berlin", "dst": {"overlap": "both"} | 2026-10-25T00:00:00Z | 2026-10-25T23:00:00Z | 2
          "cron": "* * * * *" | 0001-01-01T00:00:00Z | 0001-01-01T00:00:00Z | 1
          "cron": "0 0 1 1 *" | 1000-01-01T00:00:00Z | 2026-12-31T00:00:00Z | 1027
          "interval": "P1D", "startTime": "2026-03-01T02:30:00+01:00", "timezone": "Europe/Berlin" | 2026-03-28T00:00:00Z | 2026-03-30T23:00:00Z | 3
          "rrule": "FREQ=YEARLY", "startTime": "2000-02-29T00:00:00Z" | 1000-01-01T00:00:00Z | 2026-12-31T00:00:00Z | 7
          """)
  void aRangeHasTheInstantsOfItsSchedule(String schedule, String from, String to, int instants)
      throws Exception {
    TaskId id = idOf(json(api.post("{\"name\": \"x\", " + schedule + "}")));

    HttpResponse<String> answer =
        api.postTo(path(id) + "/backfill", range(Instant.parse(from), Instant.parse(to)));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    assertThat(json(answer).get("instants").asInt()).isEqualTo(instants);
    int runs = Math.min(instants, 3);
    List<Instant> due = new ArrayList<>();
    for (int i = 0; i < runs; i++) {
      Won won = api.start(id);
      due.add(won.subTask().dueAt());
      api.complete(won, new Outcome.Succeeded());
    }
    assertThat(due).isSorted().doesNotHaveDuplicates();
    assertThat(due).allMatch(at -> at.isBefore(RunningApi.NOW));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"delay\": \"PT1H\"", "\"at\": \"2027-06-01T00:00:00Z\""})
  void whatHappensOnceHasNoPastRange(String schedule) throws Exception {
    TaskId id = idOf(json(api.post("{\"name\": \"x\", " + schedule + "}")));
    String all = range(Instant.parse("0001-01-01T00:00:00Z"), RunningApi.NOW.minusMillis(1));

    HttpResponse<String> answer = api.postTo(path(id) + "/backfill", all);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("no instant in this range");
  }

  @Test
  void tooManyRangesAreRefused() throws Exception {
    Instant start = RunningApi.NOW.minusSeconds(600);
    TaskId id = createSince(start, "wait");
    String range = range(start, start.plusSeconds(180));
    for (int i = 0; i < Chain.MOST_BACKFILLS; i++) {
      assertThat(api.postTo(path(id) + "/backfill", range).statusCode()).isEqualTo(202);
    }

    isProblem(api.postTo(path(id) + "/backfill", range), 409, "10 ranges wait already");
  }

  private HttpResponse<String> keyed(String path, String body, String... keys) throws Exception {
    HttpRequest.Builder request =
        api.request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    for (String key : keys) {
      request.header("Idempotency-Key", key);
    }
    return api.send(request.build());
  }

  @Test
  void manyTriggersWithOneKeyAreOneRunAndHaveTheSameAnswer() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    ExecutorService clients = Executors.newFixedThreadPool(10);
    try {
      List<Future<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        answers.add(clients.submit(() -> keyed(path(id) + "/trigger", "", "once")));
      }
      for (Future<HttpResponse<String>> answer : answers) {
        assertThat(answer.get().statusCode()).isEqualTo(201);
        assertThat(answer.get().headers().firstValue("Location"))
            .contains(path(id) + "/sub-tasks/-1");
      }
    } finally {
      clients.shutdownNow();
    }
    assertThat(stored(id).extras().runs()).isEqualTo(1);

    api.fire(id, 6);
    assertThat(stored(id).status()).isEqualTo(TaskStatus.FINISHED);

    HttpResponse<String> late = keyed(path(id) + "/trigger", "", "once");
    assertThat(late.statusCode()).isEqualTo(201);
    assertThat(json(late).get("status").asText()).isEqualTo("SUCCEEDED");
    isProblem(keyed(path(id) + "/trigger", "", "another"), 409, "is FINISHED");
  }

  @Test
  void aRangeWithAKeyIsRunOnce() throws Exception {
    Instant start = RunningApi.NOW.minusSeconds(600);
    TaskId id = createSince(start, "wait");
    String range = range(start, start.plusSeconds(120));
    String path = path(id) + "/backfill";
    HttpResponse<String> first = keyed(path, range, "k");
    assertThat(first.statusCode()).isEqualTo(202);
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> repeated = keyed(path, range, "k");
      assertThat(repeated.statusCode()).isEqualTo(202);
      assertThat(repeated.body()).isEqualTo(first.body());
      api.fire(id, 1);
    }

    assertThat(keyed(path, range, "k").statusCode()).isEqualTo(202);
    assertThat(stored(id).extras().runs()).isEqualTo(3);
    assertThat(stored(id).extras().backfills()).isEmpty();
    String other = range(start, start.plusSeconds(180));
    isProblem(keyed(path, other, "k"), 409, "used with another body, or for something else");
    isProblem(
        keyed(path(id) + "/trigger", "", "k"),
        409,
        "used with another body, or for something else");
    assertThat(keyed(path, range, "l").statusCode()).isEqualTo(202);
    assertThat(keyed(path(idOf(api.create("y", 5))) + "/trigger", "", "k").statusCode())
        .as("a key counts for one task")
        .isEqualTo(201);
  }

  @Test
  void aKeyOfNoUseIsRefusedAndDoesNothing() throws Exception {
    TaskId id = createSince(RunningApi.NOW.minusSeconds(600), "wait");
    String range = range(RunningApi.NOW.minusSeconds(600), RunningApi.NOW.minusSeconds(1));

    for (HttpResponse<String> answer :
        List.of(
            keyed(path(id) + "/trigger", "", "a b"),
            keyed(path(id) + "/trigger", "", "a", "b"),
            keyed(path(id) + "/trigger", "", "x".repeat(201)),
            keyed(path(id) + "/backfill", range, ""),
            keyed(path(id) + "/backfill", range, "a", "b"))) {
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(json(answer).at("/errors/0/field").asText()).isEqualTo("Idempotency-Key");
    }
    assertThat(stored(id).extras().runs()).isZero();
  }

  @Test
  void aFailedSubTaskIsRunAgainAsTheSameSubTask() throws Exception {
    TaskId id = idOf(api.create("x", 3));
    api.complete(api.start(id), new Outcome.Failed("no", false));

    HttpResponse<String> answer = api.postTo(path(id) + "/sub-tasks/0/retry");

    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(answer.headers().firstValue("Location")).contains(path(id) + "/sub-tasks/0");
    assertThat(json(answer).get("status").asText()).isEqualTo("PENDING");
    Won again = api.start(id);
    assertThat(again.subTask().index()).isZero();
    assertThat(again.subTask().attempt()).isEqualTo(2);
    api.complete(again, new Outcome.Succeeded());
    assertThat(statusOf(id, 0)).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(stored(id).tally().failed()).isZero();
    assertThat(api.start(id).subTask().index()).isEqualTo(1);
  }

  @Test
  void whatIsInTheArchiveIsRunAgainEvenAfterTheTaskHasFinished() throws Exception {
    TaskId id = idOf(api.create("x", 12));
    api.complete(api.start(id), new Outcome.Failed("no", false));
    api.fire(id, 11);
    assertThat(stored(id).status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(stored(id).subTask(0)).isEmpty();

    assertThat(api.postTo(path(id) + "/sub-tasks/0/retry").statusCode()).isEqualTo(202);

    assertThat(stored(id).status()).isEqualTo(TaskStatus.ACTIVE);
    assertThat(statusOf(id, 0)).isEqualTo(SubTaskStatus.PENDING);
    api.fire(id, 1);
    assertThat(stored(id).status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(statusOf(id, 0)).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(stored(id).tally().succeeded()).isEqualTo(12);
    assertThat(indices(id)).hasSize(12);
  }

  @Test
  void onlyWhatHasFailedIsRunAgain() throws Exception {
    TaskId id = idOf(api.create("x", 3));
    api.fire(id, 1);
    TaskId canceled = idOf(api.create("y", 3));
    api.complete(api.start(canceled), new Outcome.Failed("no", false));
    api.delete(path(canceled));

    isProblem(api.postTo(path(id) + "/sub-tasks/0/retry"), 409, "is SUCCEEDED, not FAILED");
    isProblem(api.postTo(path(id) + "/sub-tasks/2/retry"), 409, "is SCHEDULED, not FAILED");
    Won first = api.start(id);
    isProblem(api.postTo(path(id) + "/sub-tasks/1/retry"), 409, "is RUNNING, not FAILED");
    api.complete(first, new Outcome.Failed("no", false));
    api.postTo(path(id) + "/sub-tasks/1/retry");
    api.start(id);
    assertThat(api.postTo(path(id) + "/sub-tasks/1/retry").statusCode())
        .as("repeated while the other try is on")
        .isEqualTo(202);
    isProblem(api.postTo(path(canceled) + "/sub-tasks/0/retry"), 409, "is CANCELED");
  }

  @Test
  void oneSubTaskIsCanceledAndTheOthersRun() throws Exception {
    TaskId id = idOf(api.create("x", 9));

    for (int index : List.of(0, 2, 2, 8, 0)) { // the last is not generated yet; some twice
      assertThat(api.delete(path(id) + "/sub-tasks/" + index).statusCode()).isEqualTo(204);
    }
    assertThat(json(api.get(path(id))).at("/counts/CANCELED").asInt()).isEqualTo(3);
    api.fire(id, 6);

    assertThat(stored(id).status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(stored(id).tally().succeeded()).isEqualTo(6);
    assertThat(stored(id).tally().canceled()).isEqualTo(3);
    assertThat(statusOf(id, 2)).isEqualTo(SubTaskStatus.CANCELED);
  }

  @Test
  void whatRunsHasEndedOrIsFarAwayIsNotCanceledAlone() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    api.fire(id, 1);
    api.start(id);

    isProblem(api.delete(path(id) + "/sub-tasks/0"), 409, "is SUCCEEDED");
    isProblem(api.delete(path(id) + "/sub-tasks/1"), 409, "is RUNNING");
    isProblem(api.delete(path(id) + "/sub-tasks/502"), 409, "is not planned yet");
    assertThat(api.delete(path(id) + "/sub-tasks/501").statusCode()).isEqualTo(204);
  }

  @Test
  void runsOverlapOnlyIfTheyMay() throws Exception {
    TaskId waits = createSince(RunningApi.NOW, "wait");
    TaskId overlaps = createSince(RunningApi.NOW, "allow");

    Won first = api.start(overlaps);
    Won second = api.start(overlaps);
    api.start(waits);

    assertThat(stored(overlaps).leases()).hasSize(2);
    assertThat(stored(waits).next()).isEmpty();
    JsonNode task = json(api.get(path(overlaps)));
    assertThat(task.at("/counts/RUNNING").asInt()).isEqualTo(2);
    assertThat(task.get("overlap").asText()).isEqualTo("allow");
    api.complete(second, new Outcome.Succeeded());
    assertThat(stored(overlaps).isHeldBy(first.claim())).isTrue();
    assertThat(api.post("{\"name\": \"x\", \"interval\": 1, \"overlap\": \"maybe\"}").body())
        .contains("must be one of \\\"wait\\\", \\\"skip\\\", \\\"allow\\\"");
  }

  @Test
  void aClientThatIsToldOfAnOutageMayRepeatAllOfIt() throws Exception {
    TaskId id = idOf(api.create("x", 3));
    api.store.first(
        () -> {
          throw new FaultyStore.AwayException();
        });

    for (HttpResponse<String> answer :
        List.of(
            api.postTo(path(id) + "/trigger"),
            api.postTo(path(id) + "/sub-tasks/0/retry"),
            api.delete(path(id) + "/sub-tasks/0"),
            api.get(path(id) + "/sub-tasks/0"))) {
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }
  }
}
