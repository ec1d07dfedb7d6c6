package dev.carillon.api;

import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.task.TaskId;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Posts that are repeated with the same idempotency key. */
@Timeout(180)
final class IdempotentCreateTest {

  private static final String BODY =
      "{\"name\": \"once\", \"interval\": \"PT10S\", \"maxRuns\": 2}";

  private RunningApi api;

  @BeforeEach
  void start() {
    api = new RunningApi();
  }

  @AfterEach
  void stop() {
    api.close();
  }

  private HttpResponse<String> post(String body, String... keys) throws Exception {
    HttpRequest.Builder request =
        api.request("/api/tasks")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    for (String key : keys) {
      request.header("Idempotency-Key", key);
    }
    return api.send(request.build());
  }

  private static String location(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return answer.headers().firstValue("Location").orElseThrow();
  }

  @Test
  void fiftyAtATimeGetOneTaskAndTheSameAnswer() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(50);
    try {
      CyclicBarrier together = new CyclicBarrier(50);
      List<Future<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        answers.add(
            threads.submit(
                () -> {
                  together.await(30, TimeUnit.SECONDS);
                  return post(BODY, "fifty");
                }));
      }
      HttpResponse<String> first = answers.get(0).get();
      for (Future<HttpResponse<String>> answer : answers) {
        assertThat(location(answer.get())).isEqualTo(location(first));
        assertThat(json(answer.get())).isEqualTo(json(first));
        assertThat(answer.get().headers().firstValue("ETag"))
            .isEqualTo(first.headers().firstValue("ETag"));
      }
      assertThat(api.memory.all()).hasSize(1);
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void aRepetitionIsAnsweredWithTheTaskAsItIsNow() throws Exception {
    HttpResponse<String> first = post(BODY, "key");
    TaskId id = RunningApi.idOf(json(first));
    api.fire(id, 2);
    api.clock.advance(Duration.ofHours(1));

    HttpResponse<String> again = post(BODY, "key");

    assertThat(location(again)).isEqualTo(location(first));
    assertThat(json(again)).isEqualTo(json(api.get(location(first))));
    assertThat(json(again).get("status").asText()).isEqualTo("FINISHED");
    assertThat(again.headers().firstValue("ETag")).isNotEqualTo(first.headers().firstValue("ETag"));
  }

  @Test
  void aRepetitionAfterTheEndOfTheScheduleIsAnsweredAsWell() throws Exception {
    String body =
        "{\"name\": \"short\", \"interval\": 1, \"endTime\": \""
            + RunningApi.NOW.plusSeconds(60)
            + "\"}";
    HttpResponse<String> first = post(body, "key");
    api.clock.advance(Duration.ofHours(1));

    assertThat(post(body).statusCode()).isEqualTo(400);
    assertThat(location(post(body, "key"))).isEqualTo(location(first));
  }

  @Test
  void anotherBodyIsAConflict() throws Exception {
    location(post(BODY, "key"));

    HttpResponse<String> answer = post(BODY + " ", "key");

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(json(answer).get("detail").asText())
        .contains("Idempotency-Key has been used with another body");
    assertThat(post("{\"name\": \"\"}", "key").statusCode()).isEqualTo(409);
    assertThat(api.memory.all()).hasSize(1);
  }

  @Test
  void withoutAKeyOrWithOthersEachPostGivesATask() throws Exception {
    location(post(BODY));
    location(post(BODY));
    location(post(BODY, "a"));
    location(post(BODY, "A"));

    assertThat(api.memory.all()).hasSize(4);
  }

  @Test
  void aRefusedBodyTakesNoKey() throws Exception {
    assertThat(post("{\"name\": \"\"}", "key").statusCode()).isEqualTo(400);
    assertThat(post("{", "key").statusCode()).isEqualTo(400);

    location(post(BODY, "key"));
  }

  @Test
  void aKeyLivesForADay() throws Exception {
    String first = location(post(BODY, "key"));
    api.clock.advance(Duration.ofHours(24).minusMillis(1));
    assertThat(location(post(BODY, "key"))).isEqualTo(first);
    assertThat(post(BODY + "\n", "key").statusCode()).isEqualTo(409);

    api.clock.advance(Duration.ofMillis(1));

    assertThat(location(post(BODY + "\n", "key"))).isNotEqualTo(first);
    assertThat(api.memory.all()).hasSize(2);
  }

  @Test
  void whileTheStoreIsAwayTheClientMayRepeat() throws Exception {
    api.store.first(
        () -> {
          throw new FaultyStore.AwayException();
        });
    HttpResponse<String> away = post(BODY, "key");
    assertThat(away.statusCode()).isEqualTo(503);
    assertThat(away.headers().firstValue("Retry-After")).isPresent();
    api.store.first(() -> {});

    assertThat(location(post(BODY, "key"))).isEqualTo(location(post(BODY, "key")));
    assertThat(api.memory.all()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 200})
  void aKeyMayHaveSoManyCharacters(int length) throws Exception {
    location(post(BODY, "~".repeat(length)));
  }

  @Test
  void everyVisibleCharacterMayBeInAKey() throws Exception {
    StringBuilder all = new StringBuilder();
    for (char character = '!'; character <= '~'; character++) {
      all.append(character);
    }
    location(post(BODY, all.toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "two words", "tab\tbed"})
  void otherKeysAreRefused(String key) throws Exception {
    assertKeyIsRefused(post(BODY, key));
  }

  @Test
  void aKeyThatIsTooLongIsRefused() throws Exception {
    assertKeyIsRefused(post(BODY, "x".repeat(201)));
  }

  @Test
  void twoKeysAreRefused() throws Exception {
    assertKeyIsRefused(post(BODY, "a", "b"));
  }

  @Test
  void aKeyIsRefusedTogetherWithTheRest() throws Exception {
    HttpResponse<String> answer = post("{\"interval\": 0}", "two words");

    assertThat(json(answer).get("errors").findValuesAsText("field"))
        .containsExactlyInAnyOrder("name", "interval", "Idempotency-Key");
  }

  private void assertKeyIsRefused(HttpResponse<String> answer) throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    JsonNode errors = json(answer).get("errors");
    assertThat(errors.findValuesAsText("field")).containsExactly("Idempotency-Key");
    assertThat(api.memory.all()).isEmpty();
  }
}
