package dev.carillon.api;

import static dev.carillon.api.RunningApi.idOf;
import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.task.TaskId;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What people are told of tasks whose stored documents cannot be read. */
@Timeout(60)
final class UnreadableTaskTest {

  private static final String PROBLEMS = "definition.interval must be at least 1";

  private RunningApi api;

  @BeforeEach
  void start() {
    api = new RunningApi();
  }

  @AfterEach
  void stop() {
    api.close();
  }

  private TaskId damaged(String name) throws Exception {
    TaskId id = idOf(api.create(name, 0));
    api.store.damage(id, PROBLEMS);
    return id;
  }

  private static void assertTellsWhatToDo(HttpResponse<String> answer, TaskId id) throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(answer.headers().firstValue("Retry-After")).as("it would not help").isEmpty();
    assertThat(json(answer).get("detail").asText())
        .contains(id.value(), "Correct it", "DELETE /api/tasks/" + id);
    JsonNode error = json(answer).get("errors").get(0);
    assertThat(error.get("field").asText()).isEqualTo("document");
    assertThat(error.get("message").asText()).isEqualTo(PROBLEMS);
  }

  @Test
  void whoeverWantsSomethingOfItIsToldWhatIsWrongAndWhatToDo() throws Exception {
    TaskId id = damaged("x");
    String task = "/api/tasks/" + id;

    for (String path : List.of("", "/preview", "/explain?at=2027-01-01T00:01:00Z", "/sub-tasks")) {
      assertTellsWhatToDo(api.get(task + path), id);
    }
    for (String path : List.of("/pause", "/trigger", "/sub-tasks/0/retry")) {
      assertTellsWhatToDo(api.postTo(task + path), id);
    }
  }

  @Test
  void whoeverWantsSomethingOfItByItsKeyIsToldTheSame() throws Exception {
    HttpResponse<String> created = put("k");
    TaskId id = idOf(json(created));
    api.store.damage(id, PROBLEMS);

    assertTellsWhatToDo(api.get("/api/tasks/by-key/k"), id);
    assertTellsWhatToDo(put("k"), id);

    assertThat(api.delete("/api/tasks/by-key/k").statusCode()).isEqualTo(204);
    assertThat(api.get("/api/tasks/by-key/k").statusCode()).isEqualTo(404);
    assertThat(api.get("/api/tasks/" + id).statusCode()).isEqualTo(404);
  }

  private HttpResponse<String> put(String key) throws Exception {
    return api.send(
        api.request("/api/tasks/by-key/" + key)
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString("{\"name\": \"x\", \"delay\": \"PT1H\"}"))
            .build());
  }

  @Test
  void itCanBeCanceledWhichRemovesIt() throws Exception {
    TaskId id = damaged("x");

    assertThat(api.delete("/api/tasks/" + id).statusCode()).isEqualTo(204);

    assertThat(api.get("/api/tasks/" + id).statusCode()).isEqualTo(404);
    assertThat(api.delete("/api/tasks/" + id).statusCode()).isEqualTo(404);
    assertThat(json(api.get("/api/tasks")).get("unreadable")).isEmpty();
  }

  @Test
  void aListSaysWhatItLeavesOutOnThePageWhereItWouldBe() throws Exception {
    TaskId oldest = idOf(api.create("oldest", 0));
    TaskId lower = next("lower");
    TaskId middle = next("middle");
    TaskId upper = next("upper");
    TaskId newest = next("newest");
    api.store.damage(lower, PROBLEMS);
    api.store.damage(upper, "subTasks must not be empty");

    JsonNode all = json(api.get("/api/tasks"));
    assertThat(all.get("items").findValuesAsText("id"))
        .containsExactly(newest.value(), middle.value(), oldest.value());
    assertThat(all.get("unreadable").toString())
        .isEqualTo(
            "[{'id':'%s','problem':'subTasks must not be empty'},{'id':'%s','problem':'%s'}]"
                .replace('\'', '"')
                .formatted(upper, lower, PROBLEMS));

    JsonNode first = json(api.get("/api/tasks?limit=2"));
    assertThat(first.get("items")).hasSize(2);
    assertThat(first.get("unreadable").findValuesAsText("id")).containsExactly(upper.value());
    String cursor = first.get("nextCursor").asText();
    JsonNode second = json(api.get("/api/tasks?limit=2&cursor=" + cursor));
    assertThat(second.get("items")).hasSize(1);
    assertThat(second.get("unreadable").findValuesAsText("id")).containsExactly(lower.value());
  }

  /** Ids are in the order of their milliseconds. */
  private TaskId next(String name) throws Exception {
    api.clock.advance(Duration.ofMillis(1));
    return idOf(api.create(name, 0));
  }
}
