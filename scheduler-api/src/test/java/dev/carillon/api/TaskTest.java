package dev.carillon.api;

import static dev.carillon.api.RunningApi.idOf;
import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.task.Chain;
import dev.carillon.task.Outcome;
import dev.carillon.task.TaskId;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
final class TaskTest {

  private static final String UNKNOWN = "01jgftvxg0abcdefghjkmnpqrs";

  /** A small window, so that a few firings fill the archive. */
  private final RunningApi api =
      new RunningApi(RunningApi.SETTINGS, new Chain.Settings(Duration.ofSeconds(5), 6, 1, 5));

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void showsWhatRunsAndWhatHasRun() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    api.fire(id, 1);
    Won won = api.start(id);

    JsonNode running = json(api.get("/api/tasks/" + id));

    JsonNode subTask = running.get("subTasks").get(1);
    assertThat(subTask.get("status").asText()).isEqualTo("RUNNING");
    assertThat(subTask.get("attempt").asInt()).isEqualTo(1);
    assertThat(subTask.get("worker").asText()).isEqualTo("worker-1");
    assertThat(subTask.get("startedAt").asText()).isEqualTo("2027-01-01T00:02:00Z");
    assertThat(subTask.get("latenessMs").isNumber()).isTrue();
    assertThat(subTask.get("latenessMs").asLong()).isZero();
    assertThat(subTask.get("finishedAt").isNull()).isTrue();
    assertThat(subTask.get("queue").isNull()).isTrue();
    assertThat(running.get("counts"))
        .hasToString(
            "{\"SCHEDULED\":3,\"PENDING\":0,\"RUNNING\":1,\"SUCCEEDED\":1,\"FAILED\":0,"
                + "\"SKIPPED\":0,\"CANCELED\":0}");

    api.clock.advance(Duration.ofSeconds(3));
    api.complete(won, new Outcome.Failed("no such host", false));

    JsonNode failed = json(api.get("/api/tasks/" + id)).get("subTasks").get(1);
    assertThat(failed.get("status").asText()).isEqualTo("FAILED");
    assertThat(failed.get("error").asText()).isEqualTo("no such host");
    assertThat(failed.get("finishedAt").asText()).isEqualTo("2027-01-01T00:02:03Z");
  }

  @Test
  void itsEntityTagChangesWithIt() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    String before = entityTag(id);
    assertThat(entityTag(id)).isEqualTo(before).matches("\"[0-9]+-[0-9]+\"");

    api.start(id);

    assertThat(entityTag(id)).isNotEqualTo(before);
  }

  private String entityTag(TaskId id) throws Exception {
    return api.get("/api/tasks/" + id).headers().firstValue("ETag").orElseThrow();
  }

  @Test
  void aFinishedTaskHasNoNextFiring() throws Exception {
    TaskId id = idOf(api.create("x", 2));
    api.fire(id, 2);

    JsonNode task = json(api.get("/api/tasks/" + id));

    assertThat(task.get("status").asText()).isEqualTo("FINISHED");
    assertThat(task.get("nextDueAt").isNull()).isTrue();
    assertThat(task.get("counts").get("SUCCEEDED").asInt()).isEqualTo(2);
  }

  @Test
  void cancellingIsDoneOnceAndMayBeRepeated() throws Exception {
    String path = "/api/tasks/" + idOf(api.create("x", 50));

    HttpResponse<String> first = api.delete(path);
    JsonNode task = json(api.get(path));
    HttpResponse<String> second = api.delete(path);

    assertThat(first.statusCode()).isEqualTo(204);
    assertThat(first.body()).isEmpty();
    assertThat(first.headers().firstValue("Content-Type")).isEmpty();
    assertThat(second.statusCode()).isEqualTo(204);
    assertThat(task.get("status").asText()).isEqualTo("CANCELED");
    assertThat(task.get("counts").get("CANCELED").asInt()).isEqualTo(50);
    assertThat(task.get("counts").get("SCHEDULED").asInt()).isZero();
    assertThat(json(api.get(path)).get("updatedAt")).isEqualTo(task.get("updatedAt"));
  }

  @Test
  void whatHasFinishedCannotBeCancelled() throws Exception {
    TaskId id = idOf(api.create("x", 1));
    api.fire(id, 1);

    HttpResponse<String> answer = api.delete("/api/tasks/" + id);

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(json(answer).get("title").asText()).isEqualTo("Conflict");
    assertThat(json(answer).get("detail").asText()).contains("FINISHED");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        UNKNOWN,
        "01JGFTVXG0ABCDEFGHJKMNPQRS",
        "5",
        "..%2f..%2fetc",
        "a%20b",
        "%F0%9F%8E%89",
        "{id}",
        "x'%22%3B--",
      })
  void anIdThatIsUnknownOrNoneIsNotFound(String id) throws Exception {
    String path = "/api/tasks/" + id.replace("{", "%7B").replace("}", "%7D");
    for (HttpResponse<String> answer :
        List.of(api.get(path), api.delete(path), api.get(path + "/sub-tasks"))) {
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(404);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    }
  }

  @Test
  void subTasksRunByIndexThroughArchiveAndWindow() throws Exception {
    TaskId id = idOf(api.create("x", 20));
    api.fire(id, 9);
    int inWindow = json(api.get("/api/tasks/" + id)).get("subTasks").get(0).get("index").asInt();
    assertThat(inWindow).as("some are in the archive").isPositive();

    List<Integer> indexes = new ArrayList<>();
    List<String> statuses = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = json(api.get("/api/tasks/" + id + "/sub-tasks?limit=4&cursor=" + cursor));
      page.get("items").forEach(item -> indexes.add(item.get("index").asInt()));
      statuses.addAll(page.get("items").findValuesAsText("status"));
      cursor = page.get("nextCursor").asText("");
    } while (!cursor.isEmpty());

    assertThat(indexes).isEqualTo(IntStream.range(0, indexes.size()).boxed().toList());
    assertThat(statuses.subList(0, 9)).containsOnly("SUCCEEDED");
    assertThat(statuses.get(9)).isEqualTo("PENDING");
    assertThat(statuses.subList(10, statuses.size())).isNotEmpty().containsOnly("SCHEDULED");
  }

  @Test
  void subTasksAreFoundByStatus() throws Exception {
    TaskId id = idOf(api.create("x", 20));
    api.fire(id, 8);
    api.complete(api.start(id), new Outcome.Failed("no", false));

    assertThat(indexes(id, "status=FAILED")).containsExactly(8);
    assertThat(indexes(id, "status=PENDING")).containsExactly(9);
    assertThat(indexes(id, "status=SUCCEEDED&limit=3")).containsExactly(0, 1, 2);
    assertThat(indexes(id, "status=SUCCEEDED&limit=3&cursor=" + Cursor.from(3)))
        .containsExactly(3, 4, 5);
    assertThat(indexes(id, "status=SKIPPED")).isEmpty();
    assertThat(indexes(id, "cursor=" + Cursor.from(1_000))).isEmpty();
  }

  private List<Integer> indexes(TaskId id, String query) throws Exception {
    List<Integer> indexes = new ArrayList<>();
    json(api.get("/api/tasks/" + id + "/sub-tasks?" + query))
        .get("items")
        .forEach(item -> indexes.add(item.get("index").asInt()));
    return indexes;
  }

  @ParameterizedTest
  @ValueSource(strings = {"limit=0", "status=ACTIVE", "cursor=x", "name=x"})
  void aParameterOfSubTasksThatCannotBeIsRefused(String query) throws Exception {
    TaskId id = idOf(api.create("x", 1));

    HttpResponse<String> answer = api.get("/api/tasks/" + id + "/sub-tasks?" + query);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).get("errors").findValuesAsText("field"))
        .containsExactly(query.substring(0, query.indexOf('=')));
  }
}
