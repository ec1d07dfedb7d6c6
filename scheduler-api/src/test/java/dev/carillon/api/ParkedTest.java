package dev.carillon.api;

import static dev.carillon.api.RunningApi.idOf;
import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.queue.BrokerAwayException;
import dev.carillon.queue.GivenUp;
import dev.carillon.queue.ParkedBusyException;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ParkedTest {

  private RunningApi api;

  @BeforeEach
  void start() {
    api = new RunningApi();
  }

  @AfterEach
  void stop() {
    api.close();
  }

  private HttpResponse<String> retry(String id) throws Exception {
    return api.send(
        api.request("/api/parked/" + id + "/retry").POST(BodyPublishers.noBody()).build());
  }

  private JsonNode items() throws Exception {
    HttpResponse<String> answer = api.get("/api/parked");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return json(answer).get("items");
  }

  private static ParkedMessage stray(String id) {
    return new ParkedMessage(
        id,
        "not a notice",
        "x",
        "key",
        Optional.of(RunningApi.NOW),
        Optional.empty(),
        OptionalLong.empty(),
        5,
        "hello");
  }

  @Test
  void nothingIsParkedAtFirst() throws Exception {
    assertThat(items()).isEmpty();
  }

  @Test
  void eachIsListedWithAllThatIsKnown() throws Exception {
    api.parked.addStray(stray("s"));
    api.parked.park(new GivenUp(Tasks.id(1), 3, "5 workers were lost"));

    JsonNode items = items();

    assertThat(items.get(0))
        .hasToString(
            "{\"id\":\"s\",\"reason\":\"not a notice\",\"parkedAt\":\"2027-01-01T00:00:00Z\","
                + "\"exchange\":\"x\",\"routingKey\":\"key\",\"taskId\":null,\"index\":null,"
                + "\"bytes\":5,\"preview\":\"hello\"}");
    assertThat(items.get(1).get("reason").asText()).isEqualTo("5 workers were lost");
    assertThat(items.get(1).get("taskId").asText()).isEqualTo(Tasks.id(1).toString());
    assertThat(items.get(1).get("index").asLong()).isEqualTo(3);
    assertThat(items).hasSize(2);
    assertThat(json(api.get("/api/parked?limit=1")).get("items")).hasSize(1);
    assertThat(api.get("/api/parked?limit=0").statusCode()).isEqualTo(400);
    assertThat(api.get("/api/parked?cursor=x").statusCode()).isEqualTo(400);
  }

  @Test
  void whatIsAllIsToldFromWhatIsNot() throws Exception {
    for (int i = 1; i <= 3; i++) {
      api.parked.park(new GivenUp(Tasks.id(i), i, "reason"));
    }

    JsonNode all = json(api.get("/api/parked?limit=3"));
    assertThat(all.get("total").asInt()).isEqualTo(3);
    assertThat(all.get("truncated").isBoolean()).isTrue();
    assertThat(all.get("truncated").asBoolean()).isFalse();
    assertThat(all.get("truncatedBecause").isNull()).isTrue();

    JsonNode byLimit = json(api.get("/api/parked?limit=2"));
    assertThat(byLimit.get("items")).hasSize(2);
    assertThat(byLimit.get("total").asInt()).isEqualTo(3);
    assertThat(byLimit.get("truncated").asBoolean()).isTrue();
    assertThat(byLimit.get("truncatedBecause").asText())
        .isEqualTo(
            "1 more are left out by the limit of 2; retry or delete some of these to see the"
                + " others");

    api.parked.hasBeyondReach(7);
    JsonNode byReach = json(api.get("/api/parked"));
    assertThat(byReach.get("items")).hasSize(3);
    assertThat(byReach.get("total").asInt()).isEqualTo(10);
    assertThat(byReach.get("truncated").asBoolean()).isTrue();
    assertThat(byReach.get("truncatedBecause").asText())
        .startsWith("7 more are not within reach, since at most 1000 messages and about 32 MiB");
    assertThat(json(api.get("/api/parked?limit=2")).get("truncatedBecause").asText())
        .startsWith("1 more are left out by the limit of 2; 7 more are not within reach");
    assertThat(json(retry("unknown")).get("detail").asText()).contains("within reach");
  }

  @Test
  void aMessageIsSentBack() throws Exception {
    api.parked.addStray(stray("s"));

    assertThat(retry("s").statusCode()).isEqualTo(204);

    assertThat(items()).isEmpty();
    assertThat(retry("s").statusCode()).isEqualTo(404);
  }

  @Test
  void aSubTaskThatWasGivenUpIsRunAgain() throws Exception {
    TaskId task = idOf(api.create("x", 3));
    api.complete(api.start(task), new Outcome.Failed("no", false));
    api.parked.park(new GivenUp(task, 0, "5 workers were lost"));

    assertThat(retry(items().get(0).get("id").asText()).statusCode()).isEqualTo(204);

    assertThat(items()).isEmpty();
    assertThat(api.memory.find(task).orElseThrow().subTask(0).map(SubTask::status))
        .contains(SubTaskStatus.PENDING);
  }

  /** The process has died before the word was taken away. */
  @Test
  void aSubTaskIsRunAgainOnceHoweverOftenItsWordIsThere() throws Exception {
    TaskId task = idOf(api.create("x", 3));
    api.complete(api.start(task), new Outcome.Failed("no", false));
    for (int i = 0; i < 2; i++) {
      api.parked.park(new GivenUp(task, 0, "5 workers were lost"));
      assertThat(retry(items().get(0).get("id").asText()).statusCode()).isEqualTo(204);
    }

    api.fire(task, 3);

    assertThat(api.memory.find(task).orElseThrow().status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(api.memory.find(task).orElseThrow().subTask(0).map(SubTask::attempt)).contains(2);
  }

  @Test
  void whatCannotBeRunAgainStays() throws Exception {
    TaskId succeeded = idOf(api.create("x", 3));
    api.fire(succeeded, 1);
    TaskId canceled = idOf(api.create("y", 3));
    api.complete(api.start(canceled), new Outcome.Failed("no", false));
    api.delete("/api/tasks/" + canceled);
    TaskId unknown = Tasks.id(1);
    api.parked.park(new GivenUp(succeeded, 0, "5 workers were lost"));
    api.parked.park(new GivenUp(canceled, 0, "5 workers were lost"));
    api.parked.park(new GivenUp(unknown, 3, "5 workers were lost"));

    List<String> details = new ArrayList<>();
    for (JsonNode item : items()) {
      HttpResponse<String> answer = retry(item.get("id").asText());
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
      details.add(json(answer).get("detail").asText());
    }

    assertThat(details.get(0)).contains("SUCCEEDED, not FAILED");
    assertThat(details.get(1)).contains("is CANCELED");
    assertThat(details.get(2)).contains("not stored any more");
    assertThat(items()).hasSize(3);
  }

  @Test
  void aMessageIsDropped() throws Exception {
    api.parked.park(new GivenUp(Tasks.id(1), 3, "5 workers were lost"));
    String id = items().get(0).get("id").asText();

    assertThat(api.delete("/api/parked/" + id).statusCode()).isEqualTo(204);

    assertThat(items()).isEmpty();
    assertThat(api.delete("/api/parked/" + id).statusCode()).isEqualTo(404);
  }

  @Test
  void whileTheBrokerIsAwayTheClientMayRepeat() throws Exception {
    api.parked.first(
        () -> {
          throw new BrokerAwayException("connection refused", null);
        });

    for (HttpResponse<String> answer :
        List.of(api.get("/api/parked"), retry("a"), api.delete("/api/parked/a"))) {
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(json(answer).get("detail").asText()).startsWith("the broker cannot be used now");
    }
  }

  @Test
  void whoeverHadNoTurnIsToldSoAndMayRepeat() throws Exception {
    api.parked.first(
        () -> {
          throw new ParkedBusyException();
        });

    for (HttpResponse<String> answer :
        List.of(api.get("/api/parked"), retry("a"), api.delete("/api/parked/a"))) {
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(json(answer).get("detail").asText())
          .isEqualTo("too many look at the parked messages at a time; repeat the request");
    }
  }
}
