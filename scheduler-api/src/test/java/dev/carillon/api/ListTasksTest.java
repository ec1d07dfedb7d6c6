package dev.carillon.api;

import static dev.carillon.api.RunningApi.idOf;
import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
final class ListTasksTest {

  private final RunningApi api = new RunningApi();

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void isEmptyAtFirst() throws Exception {
    assertThat(api.get("/api/tasks").body())
        .isEqualTo("{\"items\":[],\"nextCursor\":null,\"unreadable\":[]}");
  }

  @Test
  void pagesRunFromNewToOldWithoutGapsOrRepetitions() throws Exception {
    List<String> created = createOneASecond(7);

    List<String> listed = new ArrayList<>();
    String cursor = "";
    int pages = 0;
    do {
      JsonNode page = json(api.get("/api/tasks?limit=3&cursor=" + cursor));
      listed.addAll(0, reversed(page.get("items").findValuesAsText("id")));
      cursor = page.get("nextCursor").asText("");
      pages++;
      api.create("newer " + pages, 1_000); // does not disturb the pages that follow
      api.clock.advance(Duration.ofSeconds(1));
    } while (!cursor.isEmpty());

    assertThat(listed).isEqualTo(created);
    assertThat(pages).isEqualTo(3);
  }

  @Test
  void aPageThatEndsWithTheLastTaskHasNoCursor() throws Exception {
    createOneASecond(4);

    assertThat(json(api.get("/api/tasks?limit=4")).get("nextCursor").isNull()).isTrue();
    assertThat(json(api.get("/api/tasks?limit=3")).get("nextCursor").isNull()).isFalse();
  }

  @Test
  void aPageHas50TasksUnlessAnotherLimitIsGiven() throws Exception {
    createOneASecond(51);

    assertThat(json(api.get("/api/tasks")).get("items")).hasSize(50);
    assertThat(json(api.get("/api/tasks?limit=200")).get("items")).hasSize(51);
    assertThat(json(api.get("/api/tasks?limit=1")).get("items")).hasSize(1);
  }

  @Test
  void tasksAreFoundByStatusNameAndTag() throws Exception {
    JsonNode finished = api.create("short", 1);
    api.fire(idOf(finished), 1);
    JsonNode canceled = api.create("a & b = ü", 0);
    api.delete("/api/tasks/" + canceled.get("id").asText());
    JsonNode active = json(api.post("{\"name\": \"short\", \"interval\": 1, \"tags\": [\"x y\"]}"));

    assertThat(found("status=FINISHED")).containsExactly(idOf(finished).toString());
    assertThat(found("status=CANCELED")).containsExactly(idOf(canceled).toString());
    assertThat(found("status=ACTIVE&name=short")).containsExactly(idOf(active).toString());
    assertThat(found("name=" + URLEncoder.encode("a & b = ü", StandardCharsets.UTF_8)))
        .containsExactly(idOf(canceled).toString());
    assertThat(found("tag=x+y")).containsExactly(idOf(active).toString());
    assertThat(found("tag=x%20y&status=PAUSED")).isEmpty();
    assertThat(found("&")).hasSize(3);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        arguments("limit=", "limit"),
        arguments("limit", "limit"),
        arguments("status=", "status"),
        arguments("tag=&name=x", "tag"),
        arguments("limit=0", "limit"),
        arguments("limit=201", "limit"),
        arguments("limit=-1", "limit"),
        arguments("limit=5.0", "limit"),
        arguments("limit=ten", "limit"),
        arguments("limit=99999999999", "limit"),
        arguments("limit=%D9%A5", "limit"), // a five, but not a digit of ours
        arguments("limit=5&limit=6", "limit"),
        arguments("status=active", "status"),
        arguments("status=DONE", "status"),
        arguments("cursor=garbage", "cursor"),
        arguments("cursor=%00", "cursor"),
        arguments("cursor=" + Cursor.from(5), "cursor"),
        arguments("cursor=" + "A".repeat(4_000), "cursor"),
        arguments("page=2", "page"),
        arguments("Status=ACTIVE", "Status"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void aParameterThatCannotBeIsRefusedByItsName(String query, String field) throws Exception {
    HttpResponse<String> answer = api.get("/api/tasks?" + query);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).get("errors").findValuesAsText("field")).containsExactly(field);
  }

  @Test
  void everyProblemIsToldAtOnce() throws Exception {
    HttpResponse<String> answer = api.get("/api/tasks?limit=0&status=x&cursor=y&a=1&b=2");

    assertThat(json(answer).get("errors").findValuesAsText("field"))
        .containsExactly("limit", "status", "cursor", "a", "b");
  }

  private List<String> found(String query) throws Exception {
    return json(api.get("/api/tasks?" + query)).get("items").findValuesAsText("id");
  }

  /** Ids, the oldest first. */
  private List<String> createOneASecond(int count) throws Exception {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(api.create("task " + i, 1_000).get("id").asText());
      api.clock.advance(Duration.ofSeconds(1));
    }
    return ids;
  }

  private static List<String> reversed(List<String> list) {
    List<String> reversed = new ArrayList<>();
    list.forEach(element -> reversed.add(0, element));
    return reversed;
  }
}
