package dev.carillon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many tasks by one request. */
final class BatchCreateTest {

  private static final String JSON = "application/json";
  private static final String LINES = "application/x-ndjson";

  private final RunningApi api = new RunningApi();

  @AfterEach
  void close() {
    api.close();
  }

  private HttpResponse<String> post(String type, byte[] body, Optional<String> key)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        api.request("/api/tasks/batch")
            .header("Content-Type", type)
            .POST(BodyPublishers.ofByteArray(body));
    key.ifPresent(value -> request.header("Idempotency-Key", value));
    return api.send(request.build());
  }

  private HttpResponse<String> post(String type, String body)
      throws IOException, InterruptedException {
    return post(type, body.getBytes(StandardCharsets.UTF_8), Optional.empty());
  }

  private static String task(String name) {
    return "{\"name\": \"" + name + "\", \"interval\": \"PT5S\", \"maxRuns\": 3}";
  }

  private static String array(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> task("task " + i))
        .collect(Collectors.joining(",", "[", "]"));
  }

  private JsonNode answered(HttpResponse<String> answer) throws IOException {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return RunningApi.json(answer);
  }

  private Task stored(JsonNode result) {
    return api.memory.find(new TaskId(result.get("id").asText())).orElseThrow();
  }

  private long storedCount() throws IOException, InterruptedException {
    return RunningApi.json(api.get("/api/tasks?limit=200")).get("items").size();
  }

  @Test
  void eachItemHasItsResultInOrder() throws Exception {
    JsonNode answer =
        answered(
            post(
                JSON,
                "["
                    + String.join(
                        ",",
                        task("first"),
                        "{\"name\": \"no schedule\"}",
                        "7",
                        task("last").replace("PT5S", "PT0S"),
                        task("good"))
                    + "]"));

    assertThat(answer.get("created").asInt()).isEqualTo(2);
    assertThat(answer.get("refused").asInt()).isEqualTo(3);
    JsonNode results = answer.get("results");
    assertThat(results.findValuesAsText("index")).containsExactly("0", "1", "2", "3", "4");
    assertThat(results)
        .extracting(result -> result.get("status").asInt())
        .containsExactly(201, 400, 400, 400, 201);
    assertThat(stored(results.get(0)).definition().name()).isEqualTo("first");
    assertThat(stored(results.get(4)).definition().name()).isEqualTo("good");
    assertThat(results.get(1).get("problem").get("errors").get(0).get("message").asText())
        .contains("interval");
    assertThat(results.get(2).get("problem").get("detail").asText())
        .isEqualTo("the body must be a JSON object");
    assertThat(results.get(3).get("problem").get("errors").get(0).get("field").asText())
        .isEqualTo("interval");
    assertThat(storedCount()).isEqualTo(2);
  }

  @Test
  void whatIsNearIsParked() throws Exception {
    JsonNode results = answered(post(JSON, array(3))).get("results");

    for (JsonNode result : results) {
      assertThat(stored(result).live().orElseThrow().parked()).isPresent();
    }
  }

  @Test
  void aLineThatIsNotJsonIsNoMatterOfTheOthers() throws Exception {
    String body = task("one") + "\r\n\n{\"name\":\n \t\n" + task("two");

    JsonNode results = answered(post(LINES, body)).get("results");

    assertThat(results)
        .extracting(result -> result.get("status").asInt())
        .containsExactly(201, 400, 201);
    assertThat(results.get(1).get("problem").get("detail").asText()).contains("is not JSON");
    assertThat(stored(results.get(2)).definition().name()).isEqualTo("two");
  }

  @Test
  void bytesThatAreNoTextAreNoMatterOfOtherLines() throws Exception {
    byte[] body = (task("one") + "\n#\n" + task("two")).getBytes(StandardCharsets.UTF_8);
    body[task("one").length() + 1] = (byte) 0xFF;

    JsonNode results = answered(post(LINES, body, Optional.empty())).get("results");

    assertThat(results)
        .extracting(result -> result.get("status").asInt())
        .containsExactly(201, 400, 201);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/json     | {}",
        "application/json     | ''",
        "application/json     | [{]",
        "application/json     | null",
        "application/x-ndjson; charset=utf-8 | [",
      })
  void whatIsNoBatchIsRefused(String type, String body) throws Exception {
    HttpResponse<String> answer = post(type, body);

    if (type.startsWith(JSON)) {
      assertThat(answer.statusCode()).isEqualTo(400);
    } else {
      assertThat(answered(answer).get("refused").asInt()).isEqualTo(1);
    }
    assertThat(storedCount()).isZero();
  }

  @Test
  void anotherTypeIsRefused() throws Exception {
    HttpResponse<String> answer = post("text/plain", array(1));

    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(answer.body()).contains("application/json or application/x-ndjson");
  }

  @Test
  void nothingIsCreatedOfNothing() throws Exception {
    assertThat(answered(post(JSON, "[]")).get("results")).isEmpty();
    assertThat(answered(post(LINES, "\n\n")).get("results")).isEmpty();
  }

  @Test
  void asManyAsMayBeAreCreatedAndNoMore() throws Exception {
    JsonNode answer = answered(post(JSON, array(BatchEndpoint.MOST_ITEMS)));

    assertThat(answer.get("created").asInt()).isEqualTo(BatchEndpoint.MOST_ITEMS);
    List<String> ids = answer.get("results").findValuesAsText("id");
    assertThat(ids).doesNotHaveDuplicates().hasSize(BatchEndpoint.MOST_ITEMS);
    assertThat(stored(answer.get("results").get(9_999)).definition().name()).isEqualTo("task 9999");

    String tooMany = (task("x") + "\n").repeat(BatchEndpoint.MOST_ITEMS + 1);
    HttpResponse<String> refused = post(LINES, tooMany);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("at most 10000");
    assertThat(post(JSON, array(BatchEndpoint.MOST_ITEMS + 1)).statusCode()).isEqualTo(400);
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() throws Exception {
    byte[] body = new byte[BatchBody.MAX_BYTES + 1];

    assertThat(post(LINES, body, Optional.empty()).statusCode()).isEqualTo(413);
  }

  @Test
  void aKeyMakesTheSameTasksHoweverOften() throws Exception {
    byte[] body = array(5).getBytes(StandardCharsets.UTF_8);
    JsonNode first = answered(post(JSON, body, Optional.of("key")));

    JsonNode again = answered(post(JSON, body, Optional.of("key")));

    assertThat(again).isEqualTo(first);
    assertThat(storedCount()).isEqualTo(5);
    HttpResponse<String> other =
        post(JSON, array(4).getBytes(StandardCharsets.UTF_8), Optional.of("key"));
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(post(JSON, body, Optional.of("no spaces")).statusCode()).isEqualTo(400);
    assertThat(storedCount()).isEqualTo(5);
  }

  @Test
  void aStoreThatIsAwayAtFirstFailsTheRequest() throws Exception {
    api.store.first(
        () -> {
          throw new FaultyStore.AwayException();
        });

    HttpResponse<String> answer = post(JSON, array(5));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void whatWasStoredBeforeTheStoreWentAwayIsAnswered() throws Exception {
    List<JsonNode> results = new ArrayList<>();
    AtomicInteger calls = new AtomicInteger();
    api.store.first(
        () -> {
          if (calls.incrementAndGet() > 700) { // one a task, in batches of 500
            throw new FaultyStore.AwayException();
          }
        });

    answered(post(JSON, array(1_500))).get("results").forEach(results::add);

    assertThat(results.subList(0, 500)).allMatch(result -> result.get("status").asInt() == 201);
    assertThat(results.subList(500, 1_500))
        .allMatch(result -> result.get("status").asInt() == 503)
        .allMatch(
            result -> result.get("problem").get("detail").asText().contains("may or may not"));
  }

  @Test
  void aBrokerThatTakesNothingHarmsNothing() throws Exception {
    api.queues.close();

    JsonNode answer = answered(post(JSON, array(5)));

    assertThat(answer.get("created").asInt()).isEqualTo(5);
    assertThat(stored(answer.get("results").get(0)).wakeAt()).contains(api.clock.instant());
  }
}
