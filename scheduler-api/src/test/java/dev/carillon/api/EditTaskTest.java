package dev.carillon.api;

import static dev.carillon.api.RunningApi.NOW;
import static dev.carillon.api.RunningApi.idOf;
import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.task.TaskId;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class EditTaskTest {

  private final RunningApi api = new RunningApi();

  @AfterEach
  void stop() {
    api.close();
  }

  private HttpResponse<String> patch(TaskId id, String json, String... headers) throws Exception {
    var request =
        api.request("/api/tasks/" + id)
            .header("Content-Type", "application/merge-patch+json")
            .method("PATCH", BodyPublishers.ofString(json.replace('\'', '"')));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return api.send(request.build());
  }

  private HttpResponse<String> post(String path) throws Exception {
    return api.send(api.request(path).POST(BodyPublishers.noBody()).build());
  }

  private static String entityTag(HttpResponse<?> answer) {
    return answer.headers().firstValue("ETag").orElseThrow();
  }

  @Test
  void aPatchChangesWhatItNamesInOneStep() throws Exception {
    TaskId id = idOf(api.create("before", 5));

    HttpResponse<String> answer =
        patch(id, "{'name': 'after', 'interval': 'PT10S', 'tags': ['new'], 'paused': true}");

    assertThat(answer.statusCode()).isEqualTo(200);
    JsonNode task = json(answer);
    assertThat(task.get("name").asText()).isEqualTo("after");
    assertThat(task.get("interval").asText()).isEqualTo("PT10S");
    assertThat(task.get("tags")).hasToString("[\"new\"]");
    assertThat(task.get("status").asText()).isEqualTo("PAUSED");
    assertThat(task.get("revision").asInt()).isEqualTo(2);
    assertThat(json(api.get("/api/tasks/" + id))).isEqualTo(task);
  }

  @Test
  void anotherScheduleTakesTheOldQueueAway() throws Exception {
    JsonNode before = api.create("x", 0);
    TaskId id = idOf(before);
    JsonNode after = json(patch(id, "{'interval': 'PT10S', 'startTime': '2027-01-01T00:00:10Z'}"));

    assertThat(after.get("nextDueAt").asText()).isEqualTo("2027-01-01T00:00:10Z");
    assertThat(after.at("/subTasks/0/queue").asText())
        .isNotEmpty()
        .isNotEqualTo(before.at("/subTasks/0/queue").asText());
    api.fire(id, 1);
    assertThat(json(api.get("/api/tasks/" + id)).at("/counts/SUCCEEDED").asInt()).isEqualTo(1);
  }

  @Test
  void pauseAndResumeAnswerTheTaskAndMayBeRepeated() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> paused = post("/api/tasks/" + id + "/pause");
      assertThat(paused.statusCode()).isEqualTo(200);
      assertThat(json(paused).get("status").asText()).isEqualTo("PAUSED");
      assertThat(json(paused).get("nextDueAt").isNull()).isTrue();
    }
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> resumed = post("/api/tasks/" + id + "/resume");
      assertThat(json(resumed).get("status").asText()).isEqualTo("ACTIVE");
    }
    api.fire(id, 5);
    assertThat(json(api.get("/api/tasks/" + id)).get("status").asText()).isEqualTo("FINISHED");
  }

  @Test
  void resumingAfterTheEndFinishes() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    post("/api/tasks/" + id + "/pause");
    api.clock.advance(Duration.ofHours(1));

    JsonNode task = json(post("/api/tasks/" + id + "/resume"));
    assertThat(task.get("status").asText()).isEqualTo("FINISHED");
    assertThat(task.at("/counts/SKIPPED").asInt()).isEqualTo(5);
  }

  @Test
  void whatIsWrongIsToldAndNothingChanges() throws Exception {
    JsonNode before = api.create("x", 5);
    TaskId id = idOf(before);

    HttpResponse<String> answer = patch(id, "{'interval': 0, 'nmae': 'y', 'cron': '* * * * *'}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("interval").contains("nmae");
    assertThat(patch(id, "[]").statusCode()).isEqualTo(400);
    assertThat(patch(id, "{").statusCode()).isEqualTo(400);
    assertThat(json(api.get("/api/tasks/" + id))).isEqualTo(before);
  }

  @Test
  void unknownAndEndedTasksCannotBeChanged() throws Exception {
    TaskId id = idOf(api.create("x", 1));
    api.delete("/api/tasks/" + id);

    assertThat(patch(id, "{'name': 'y'}").statusCode()).isEqualTo(409);
    assertThat(post("/api/tasks/" + id + "/pause").statusCode()).isEqualTo(409);
    assertThat(post("/api/tasks/" + id + "/resume").statusCode()).isEqualTo(409);
    TaskId unknown = new TaskId("01jgftvxg0abcdefghjkmnpqrs");
    assertThat(patch(unknown, "{'name': 'y'}").statusCode()).isEqualTo(404);
    assertThat(post("/api/tasks/nonsense/pause").statusCode()).isEqualTo(404);
  }

  @Test
  void ifMatchHoldsUntilSomebodyElseEditsAndNotOnlyUntilTheTaskFires() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    String seen = entityTag(api.get("/api/tasks/" + id));
    api.fire(id, 1);

    HttpResponse<String> first = patch(id, "{'name': 'first'}", "If-Match", seen);
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(patch(id, "{'name': 'second'}", "If-Match", seen).statusCode()).isEqualTo(412);
    assertThat(patch(id, "{'name': 'x'}", "If-Match", "\"other\"").statusCode()).isEqualTo(412);
    assertThat(patch(id, "{'name': 'x'}", "If-Match", entityTag(first)).statusCode())
        .isEqualTo(200);
    assertThat(patch(id, "{'name': 'x'}", "If-Match", "*").statusCode()).isEqualTo(200);
  }

  @Test
  void noneOfManyEditsAtATimeIsLost() throws Exception {
    TaskId id = idOf(api.create("x", 0));
    ExecutorService users = Executors.newFixedThreadPool(20);
    try {
      List<Future<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        int number = i;
        answers.add(
            users.submit(
                () ->
                    number % 4 == 0
                        ? post("/api/tasks/" + id + (number % 8 == 0 ? "/pause" : "/resume"))
                            .statusCode()
                        : patch(id, "{'metadata': {'k" + number % 50 + "': '" + number + "'}}")
                            .statusCode()));
      }
      for (Future<Integer> answer : answers) {
        assertThat(answer.get()).isEqualTo(200);
      }
    } finally {
      users.shutdownNow();
    }
    JsonNode task = json(api.get("/api/tasks/" + id));
    assertThat(task.get("revision").asInt()).as("each edit counts").isEqualTo(201);
    for (int i = 0; i < 50; i++) {
      boolean isEdited = task.get("metadata").has("k" + i);
      assertThat(isEdited).as("key %s", i).isEqualTo(hasPatch(i));
    }
    JsonNode resumed = json(post("/api/tasks/" + id + "/resume"));
    assertThat(resumed.at("/counts/PENDING").asInt()).as("one chain").isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      api.fire(id, 1);
      JsonNode fired = json(api.get("/api/tasks/" + id));
      assertThat(fired.at("/counts/SUCCEEDED").asInt()).isEqualTo(i + 1);
      assertThat(fired.at("/counts/PENDING").asInt()).isEqualTo(1);
    }
  }

  private static boolean hasPatch(int key) {
    for (int number = key; number < 200; number += 50) {
      if (number % 4 != 0) {
        return true;
      }
    }
    return false;
  }

  @Test
  void aPreviewStoresNothing() throws Exception {
    HttpResponse<String> answer =
        api.send(
            api.request("/api/preview")
                .header("Content-Type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        """
                        {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "dst": {"gap": "skip"},
                         "from": "2027-03-27T00:00:00Z", "until": "2027-03-30T00:00:00Z"}
                        """))
                .build());

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode preview = json(answer);
    assertThat(preview.get("reading").asText()).isNotEmpty();
    assertThat(preview.at("/instants/0/at").asText()).isEqualTo("2027-03-27T01:30:00Z");
    assertThat(preview.at("/instants/0/local").asText()).startsWith("2027-03-27T02:30");
    assertThat(preview.get("instants")).hasSize(2);
    assertThat(preview.at("/missing/0/local").asText()).startsWith("2027-03-28T02:30");
    assertThat(preview.at("/missing/0/reason").asText()).isNotEmpty();
    assertThat(api.memory.all()).isEmpty();
  }

  @Test
  void aStoredTaskCanBePreviewed() throws Exception {
    TaskId id = idOf(api.create("x", 5));
    JsonNode preview = json(api.get("/api/tasks/" + id + "/preview?count=2"));
    assertThat(preview.get("instants")).hasSize(2);
    assertThat(preview.at("/instants/0/at").asText()).isEqualTo(NOW.plusSeconds(60).toString());

    assertThat(api.get("/api/tasks/" + id + "/preview?count=0").statusCode()).isEqualTo(400);
    assertThat(api.get("/api/tasks/" + id + "/preview?cuont=2").statusCode()).isEqualTo(400);
    assertThat(api.get("/api/tasks/nonsense/preview").statusCode()).isEqualTo(404);
  }

  @Test
  void aPreviewOfSomethingWrongTellsWhat() throws Exception {
    HttpResponse<String> answer =
        api.send(
            api.request("/api/preview")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"cron\": \"61 * * * *\", \"count\": 1001}"))
                .build());
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("cron").contains("count");
  }
}
