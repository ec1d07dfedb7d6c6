package dev.carillon.api;

import static dev.carillon.api.RunningApi.NOW;
import static dev.carillon.api.RunningApi.idOf;
import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.task.Chain;
import dev.carillon.task.Outcome;
import dev.carillon.task.TaskId;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class ExplainTest {

  private static final Chain.Settings SMALL_WINDOW =
      new Chain.Settings(Duration.ofSeconds(5), 4, 1, 5);

  private final RunningApi api = new RunningApi(RunningApi.SETTINGS, SMALL_WINDOW);

  @AfterEach
  void stop() {
    api.close();
  }

  private HttpResponse<String> explain(Object id, Object at) throws Exception {
    return api.get("/api/tasks/" + id + "/explain?at=" + at);
  }

  private JsonNode explained(TaskId id, Instant at) throws Exception {
    HttpResponse<String> answer = explain(id, at);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(json(answer).get("at").asText()).isEqualTo(at.toString());
    assertThat(json(answer).get("explanation").asText()).isNotBlank();
    return json(answer);
  }

  private String state(TaskId id, Instant at) throws Exception {
    return explained(id, at).get("state").asText();
  }

  private static Instant minute(int n) {
    return NOW.plusSeconds(60L * n);
  }

  @Test
  void tellsWhatHasHappenedAndWhatIsToCome() throws Exception {
    TaskId id = idOf(api.create("x", 0));

    JsonNode parked = explained(id, minute(1));
    assertThat(parked.get("state").asText()).isEqualTo("PARKED");
    String queue = parked.at("/subTask/queue").asText();
    assertThat(parked.get("explanation").asText()).contains(queue).contains(NOW.toString());
    assertThat(parked.get("nextStepAt").asText()).isEqualTo(minute(1).toString());
    assertThat(state(id, minute(3))).isEqualTo("GENERATED");
    assertThat(state(id, minute(300))).isEqualTo("NOT_GENERATED");

    Won won = api.start(id);
    JsonNode running = explained(id, minute(1));
    assertThat(running.get("state").asText()).isEqualTo("RUNNING");
    assertThat(running.get("explanation").asText()).contains("worker-1");
    assertThat(running.get("nextStepAt").asText()).isEqualTo(minute(2).toString());

    api.complete(won, new Outcome.Failed("no answer", true));
    JsonNode retrying = explained(id, minute(1));
    assertThat(retrying.get("state").asText()).isEqualTo("RETRYING");
    assertThat(retrying.get("explanation").asText()).contains("no answer");

    api.fire(id, 1);
    JsonNode succeeded = explained(id, minute(1));
    assertThat(succeeded.get("state").asText()).isEqualTo("SUCCEEDED");
    assertThat(succeeded.at("/subTask/index").asInt()).isZero();
    assertThat(succeeded.at("/subTask/attempt").asInt()).isEqualTo(2);
  }

  @Test
  void namesTheInstantsAroundOneThatIsNone() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    JsonNode never = explained(id, minute(2).plusMillis(1));

    assertThat(never.get("state").asText()).isEqualTo("NEVER_DUE");
    assertThat(never.get("before").asText()).isEqualTo(minute(2).toString());
    assertThat(never.get("after").asText()).isEqualTo(minute(3).toString());
    assertThat(never.get("subTask").isNull()).isTrue();
    assertThat(never.get("waitsFor").isNull()).isTrue();
  }

  @Test
  void givesTheScheduleReason() throws Exception {
    HttpResponse<String> created =
        api.post(
            """
            {"name": "x", "cron": "30 2 * * *", "timezone": "Europe/Berlin", "dst": {"gap": "skip"},
             "exclude": ["2027-03-01"], "endTime": "2027-04-30", "action": {"type": "log"}}
            """);
    TaskId id = idOf(json(created));

    assertThat(explained(id, Instant.parse("2027-03-28T01:30:00Z")).get("explanation").asText())
        .contains("in the DST gap");
    assertThat(explained(id, Instant.parse("2027-03-01T01:30:00Z")).get("explanation").asText())
        .contains("excluded (2027-03-01)");
    assertThat(explained(id, Instant.parse("2027-05-01T00:30:00Z")).get("explanation").asText())
        .contains("after the end (2027-04-30)");
    assertThat(state(id, Instant.parse("2026-12-31T01:30:00Z"))).isEqualTo("BEFORE_CREATION");
  }

  @Test
  void findsWhatIsInTheArchiveAndSaysWhatWasRemoved() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    api.fire(id, 30);
    JsonNode first = explained(id, minute(1));
    assertThat(first.get("state").asText()).isEqualTo("SUCCEEDED");
    assertThat(first.at("/subTask/index").asInt()).isZero();
    assertThat(explained(id, minute(17)).at("/subTask/index").asInt()).isEqualTo(16);

    assertThat(api.memory.purgeArchive(minute(10), 100)).isPositive();
    assertThat(state(id, minute(1))).isEqualTo("GONE");
    assertThat(state(id, minute(17))).isEqualTo("SUCCEEDED");
  }

  @Test
  void followsPausingEditingAndCanceling() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    api.send(api.request("/api/tasks/" + id + "/pause").POST(BodyPublishers.noBody()).build());
    JsonNode paused = explained(id, minute(1));
    assertThat(paused.get("state").asText()).isEqualTo("PAUSED");
    assertThat(paused.get("waitsFor").asText()).isEqualTo("RESUME");

    api.clock.advance(Duration.ofMinutes(5).plusSeconds(7));
    HttpResponse<String> edited =
        api.send(
            api.request("/api/tasks/" + id)
                .header("Content-Type", "application/json")
                .method(
                    "PATCH",
                    BodyPublishers.ofString(
                        "{\"interval\": \"PT20S\", \"startTime\": \"" + NOW + "\"}"))
                .build());
    assertThat(edited.statusCode()).isEqualTo(200);
    assertThat(state(id, minute(1).plusSeconds(20))).isEqualTo("FORMER_SCHEDULE");

    api.delete("/api/tasks/" + id);
    assertThat(state(id, minute(6))).isEqualTo("CANCELED");
    assertThat(state(id, minute(600))).isEqualTo("CANCELED");
  }

  @Test
  void saysWhatADueSubTaskWaitsFor() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    api.clock.advance(Duration.ofSeconds(61));
    assertThat(explained(id, minute(1)).get("waitsFor").asText()).isEqualTo("WORKER");

    api.queues.close();
    JsonNode away = explained(id, minute(1));
    assertThat(away.get("state").asText()).isEqualTo("WAITING");
    assertThat(away.get("waitsFor").asText()).isEqualTo("BROKER");
  }

  @Test
  void acceptsAnyOffset() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    assertThat(json(explain(id, "2027-01-01T01:01:00%2B01:00")).get("state").asText())
        .isEqualTo("PARKED");
  }

  @Test
  void refusesWhatIsNoInstant() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    HttpResponse<String> lostPlus = explain(id, "2027-01-01T01:01:00+01:00");
    assertThat(lostPlus.statusCode()).isEqualTo(400);
    assertThat(lostPlus.body()).contains("write the plus as %2B");
    for (String at : new String[] {"", "now", "2027-01-01", "1798761600", "2027-01-01T00:00:00"}) {
      HttpResponse<String> answer = explain(id, at);
      assertThat(answer.statusCode()).as(at).isEqualTo(400);
      assertThat(json(answer).at("/errors/0/field").asText()).as(at).isEqualTo("at");
    }
    assertThat(json(api.get("/api/tasks/" + id + "/explain")).at("/errors/0/message").asText())
        .isEqualTo("is required");
    assertThat(explain(id, NOW + "&when=" + NOW).statusCode()).isEqualTo(400);
    assertThat(explain(id, NOW + "&at=" + NOW).statusCode()).isEqualTo(400);
  }

  @Test
  void knowsNoOtherTasks() throws Exception {
    assertThat(explain("01jgftvxg0abcdefghjkmnpqrs", NOW).statusCode()).isEqualTo(404);
    assertThat(explain("nonsense", NOW).statusCode()).isEqualTo(404);
  }

  @Test
  void canBeAskedForTheHeadersOnly() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    HttpResponse<String> answer =
        api.send(
            api.request("/api/tasks/" + id + "/explain?at=" + NOW)
                .method("HEAD", BodyPublishers.noBody())
                .build());
    assertThat(answer.statusCode()).isEqualTo(200);
  }
}
