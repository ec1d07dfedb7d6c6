package dev.carillon.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.task.Action;
import dev.carillon.task.RetryPolicy;
import dev.carillon.task.TaskDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was written is read as it was, in the user's form and in the stored one. */
final class DefinitionRoundTripTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");

  /** As it is sent: numbers as they come from a JSON parser. */
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private static Form form(String json) {
    try {
      return Form.of(JSON.readValue(json, Map.class));
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(json, malformed);
    }
  }

  private static TaskDefinition read(String json) {
    Form form = form(json);
    Optional<TaskDefinition> definition = DefinitionReader.readNew(form, NOW);
    assertThat(form.problems()).isEmpty();
    return definition.orElseThrow();
  }

  private static TaskDefinition withAction(String action) {
    return read("{\"name\": \"n\", \"interval\": 1, \"action\": " + action + "}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\": \"n\", \"interval\": 1}",
        "{\"name\": \"n\", \"interval\": \"PT30S\", \"startTime\": \"2027-01-04T09:00:00+01:00\"}",
        "{\"name\": \"n\", \"interval\": 1, \"endTime\": \"2027-01-05\", \"maxRuns\": 3}",
        "{\"name\": \"n\", \"interval\": 1, \"jitter\": \"PT5S\", \"timezone\": \"Europe/Berlin\"}",
        "{\"name\": \"ä.$ 漢字 \uD83D\uDE80\", \"interval\": 1, \"tags\": [\"b\", \"a\", \"b\"]}",
        "{\"name\": \"n\", \"interval\": 1, \"metadata\": {\"z\": \"\", \"a b\": \"x\\ny\"}}",
        "{\"name\": \"n\", \"interval\": 1, \"concurrency\": {\"key\": \"a.$b\"}}",
        "{\"name\": \"n\", \"interval\": 1, \"concurrency\": {\"key\": \"k\", \"limit\": 7}}",
        "{\"name\": \"n\", \"interval\": 1, \"timeout\": \"PT1.5S\", \"retry\": {}}",
        "{\"name\": \"n\", \"interval\": 1, \"retry\": {\"maxAttempts\": 1, \"initialDelay\": \"PT0S\","
            + " \"factor\": 1.25, \"maxDelay\": \"P30D\"}}",
        "{\"name\": \"n\", \"interval\": 1, \"retry\": {\"initialDelay\": \"PT2H\"}}"
      })
  void aDefinitionIsReadAsItWasWritten(String json) {
    assertRoundTrips(read(json));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\": \"log\"}",
        "{\"type\": \"http\", \"url\": \"https://h.example/a?b=%20c#d\"}",
        "{\"type\": \"http\", \"method\": \"PUT\", \"url\": \"http://[::1]:8080/\", \"timeout\":"
            + " \"PT0.1S\", \"headers\": {\"X.Y\": \"\", \"$a\": \"b\\tc\", \"_id\": \"1\"},"
            + " \"body\": \"\"}",
        "{\"type\": \"http\", \"url\": \"http://h\", \"body\": {\"b\": 1, \"a\": [null, 1.50, {}]}}",
        "{\"type\": \"http\", \"url\": \"http://h\", \"body\": \"{\\\"text\\\": 1}\"}",
        "{\"type\": \"amqp\", \"routingKey\": \"\"}",
        "{\"type\": \"amqp\", \"exchange\": \"e\", \"routingKey\": \"r.k\","
            + " \"headers\": {\"a.b\": \"c\", \"name\": \"n\", \"value\": \"v\"}, \"body\": []}",
        "{\"type\": \"amqp\", \"routingKey\": \"r\", \"body\": 0}",
        "{\"type\": \"amqp\", \"routingKey\": \"r\", \"body\": false}"
      })
  void anActionIsReadAsItWasWritten(String action) {
    assertRoundTrips(withAction(action));
  }

  private static void assertRoundTrips(TaskDefinition definition) {
    Form stored = Form.of(DefinitionWriter.toStored(definition));
    assertThat(DefinitionReader.readStored(stored)).contains(definition);
    assertThat(stored.problems()).isEmpty();

    // as it would be shown to a user and sent back
    Form shown = form(toJson(DefinitionWriter.toUserForm(definition)));
    assertThat(DefinitionReader.readNew(shown, NOW)).contains(definition);
    assertThat(shown.problems()).isEmpty();
  }

  private static String toJson(Map<String, Object> form) {
    try {
      return JSON.writeValueAsString(form);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Test
  void theOrderOfWhatHasOneIsKept() {
    TaskDefinition definition =
        withAction(
            "{\"type\": \"amqp\", \"routingKey\": \"r\","
                + " \"headers\": {\"z\": \"1\", \"a\": \"2\", \"m\": \"3\"}}");

    TaskDefinition back =
        DefinitionReader.readStored(Form.of(DefinitionWriter.toStored(definition))).orElseThrow();

    assertThat(((Action.Amqp) back.action()).headers().keySet()).containsExactly("z", "a", "m");
  }

  @Test
  void storedHeadersAndBodiesDoNotDependOnWhatNamesAStoreAllows() {
    TaskDefinition definition =
        withAction(
            "{\"type\": \"http\", \"url\": \"http://h\","
                + " \"headers\": {\"$a.b\": \"c\"}, \"body\": {\"$set\": {\"a.b\": 1}}}");

    Map<String, Object> stored = DefinitionWriter.toStored(definition);

    Map<String, Object> header = new LinkedHashMap<>();
    header.put("name", "$a.b");
    header.put("value", "c");
    assertThat(stored.get("action"))
        .asInstanceOf(MAP)
        .containsEntry("headers", List.of(header))
        .containsEntry("body", Map.of("json", "{\"$set\":{\"a.b\":1}}"));
  }

  @Test
  void everyDefaultIsWrittenOut() {
    TaskDefinition definition = withAction("{\"type\": \"http\", \"url\": \"http://h\"}");

    assertThat(definition.action())
        .isEqualTo(
            new Action.Http(
                "POST", "http://h", Map.of(), Optional.empty(), Duration.ofSeconds(30), false));
    assertThat(definition.retry()).isEqualTo(RetryPolicy.DEFAULT);
    assertThat(DefinitionWriter.toUserForm(definition))
        .containsEntry("timeout", "PT5M")
        .containsEntry("tags", List.of())
        .containsEntry("metadata", Map.of())
        .containsEntry(
            "retry",
            Map.of("maxAttempts", 3, "initialDelay", "PT10S", "factor", 2.0, "maxDelay", "PT1H"));
  }

  @Test
  void whatIsStoredWronglyIsTold() {
    Map<String, Object> stored =
        new LinkedHashMap<>(
            DefinitionWriter.toStored(withAction("{\"type\": \"amqp\", \"routingKey\": \"r\"}")));
    stored.put(
        "action",
        Map.of(
            "type",
            "amqp",
            "routingKey",
            "r",
            "headers",
            List.of(Map.of("name", "a"), "b", Map.of("name", "c", "value", 1))));
    Form form = Form.of(stored);

    assertThat(DefinitionReader.readStored(form)).isEmpty();
    assertThat(form.problems())
        .extracting(Problem::field)
        .containsExactlyInAnyOrder(
            "action.headers[0].value", "action.headers[1]", "action.headers[2].value");
  }
}
