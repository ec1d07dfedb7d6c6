package dev.carillon.api;

import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.queue.BrokerAwayException;
import dev.carillon.queue.GivenUp;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.task.Tasks;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
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
  void aMessageIsSentBack() throws Exception {
    api.parked.addStray(stray("s"));

    assertThat(retry("s").statusCode()).isEqualTo(204);

    assertThat(items()).isEmpty();
    assertThat(retry("s").statusCode()).isEqualTo(404);
  }

  @Test
  void wordOfASubTaskIsNotSentBack() throws Exception {
    api.parked.park(new GivenUp(Tasks.id(1), 3, "5 workers were lost"));
    String id = items().get(0).get("id").asText();

    HttpResponse<String> answer = retry(id);

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(json(answer).get("detail").asText()).contains("recorded as FAILED");
    assertThat(items()).hasSize(1);
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
}
