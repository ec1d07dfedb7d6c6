package dev.carillon.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.task.Action;
import dev.carillon.task.MessageProperty;
import dev.carillon.task.TaskDefinition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user may write into actions is known before they run. */
final class ActionTemplatesTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");

  private static Form task(String action) {
    return Form.of(
        Document.parse(
            ("{'name': 'zoë', 'interval': 1, 'metadata': {'a b': 'x\\r\\ny', 'id': '7'}, 'action': "
                    + action
                    + "}")
                .replace('\'', '"')));
  }

  private static List<Problem> problems(String action) {
    Form form = task(action);
    assertThat(DefinitionReader.readNew(form, NOW).isPresent())
        .isEqualTo(form.problems().isEmpty());
    return form.problems();
  }

  private static TaskDefinition read(String action) {
    Form form = task(action);
    Optional<TaskDefinition> read = DefinitionReader.readNew(form, NOW);
    assertThat(form.problems()).isEmpty();
    return read.orElseThrow();
  }

  private static void assertRefused(String action, String field, String message) {
    assertThat(problems(action))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.field()).isEqualTo(field);
              assertThat(problem.message()).startsWith(message);
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type': 'http', 'url': 'http://h/{{task.id}}/{{task.name}}?a={{metadata.a b}}'}",
        "{'type': 'http', 'url': 'http://h', 'headers': {'A': '{{subTask.dueAt}} {{metadata.id}}'}}",
        "{'type': 'http', 'url': 'http://h', 'body': {'{{task.id}}': ['{{metadata.a b}}']}}",
        "{'type': 'amqp', 'routingKey': 'k.{{subTask.index}}', 'headers': {'a': '{{metadata.a b}}'}}",
        "{'type': 'amqp', 'routingKey': 'k', 'properties': {'messageId': '{{idempotencyKey}}'}}",
        "{'type': 'amqp', 'routingKey': '{{k}}', 'body': '{{', 'verbatim': true}",
        "{'type': 'http', 'url': 'http://h', 'body': '{{mustache}}', 'verbatim': true}"
      })
  void whatIsKnownIsTaken(String action) {
    TaskDefinition definition = read(action);

    assertThat(DefinitionReader.readStored(Form.of(DefinitionWriter.toStored(definition))))
        .contains(definition);
    assertThat(DefinitionReader.readNew(Form.of(DefinitionWriter.toUserForm(definition)), NOW))
        .contains(definition);
  }

  @Test
  void unknownNamesAreRefusedWithFieldAndPosition() {
    assertRefused(
        "{'type': 'http', 'url': 'http://h/{{task.nmae}}'}",
        "action.url",
        "has {{task.nmae}} at position 10, which is not known; there are task.id, task.name,");
    assertRefused(
        "{'type': 'http', 'url': 'http://h', 'body': {'a': '{{metadata.c}}'}}",
        "action.body",
        "has {{metadata.c}} at position 7,");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'headers': {'h': ['{{x}}']}}",
        "action.headers.h",
        "has {{x}} at position 1,");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'properties': {'type': '{{'}}",
        "action.properties.type",
        "has a {{ at position 1 without its }}");
  }

  @Test
  void lineBreaksDoNotGetIntoHttpHeaders() {
    assertRefused(
        "{'type': 'http', 'url': 'http://h', 'headers': {'A': '{{metadata.a b}}'}}",
        "action.headers.A",
        "must consist of ASCII characters that are no controls");
    assertRefused(
        "{'type': 'http', 'url': 'http://h', 'headers': {'A': '{{task.name}}'}}",
        "action.headers.A",
        "must consist of ASCII characters that are no controls");
  }

  @Test
  void theServerIsNotTakenFromATemplate() {
    for (String url :
        List.of("http://{{metadata.id}}/", "{{metadata.id}}://h", "http://h:{{metadata.id}}")) {
      assertRefused(
          "{'type': 'http', 'url': '" + url + "'}",
          "action.url",
          "must not have a template before its path");
    }
  }

  @Test
  void whatGetsTooLongOnceItIsFilledInIsRefused() {
    assertRefused(
        "{'type': 'amqp', 'routingKey': '" + "x".repeat(230) + "{{task.id}}'}",
        "action.routingKey",
        "must be at most 255 bytes long");
  }

  @Test
  void anEditThatTakesAValueAwayIsRefused() {
    TaskDefinition definition = read("{'type': 'http', 'url': 'http://h/{{metadata.id}}'}");

    var edited =
        new DefinitionEdit(Document.parse("{\"metadata\": {\"id\": null}}"))
            .applyTo(definition, NOW);

    assertThat(edited.definition()).isEmpty();
    assertThat(edited.problems()).extracting(Problem::field).containsExactly("action.url");
  }

  @Test
  void propertiesAreChecked() {
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'properties': {'priority': 256}}",
        "action.properties.priority",
        "must be from 0 to 255");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'properties': {'expiration': '1s'}}",
        "action.properties.expiration",
        "must be milliseconds");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'properties': {'timestamp': 'now'}}",
        "action.properties.timestamp",
        "must be an ISO-8601 instant");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'properties': {'deliveryMode': 1}}",
        "action.properties.deliveryMode",
        "is not a known field");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'bodyBase64': '!'}",
        "action.bodyBase64",
        "must be base 64");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'headers': {}, 'properties': {'headers': {}}}",
        "action.headers",
        "must not be given beside properties.headers");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'headers': {'a': {'$bytes': '!'}}}",
        "action.headers.a",
        "has a value of $bytes that cannot be read");
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'headers': {'a': {'$bits': '!'}}}",
        "action.headers.a",
        "must have one of $byte, ");
  }

  @Test
  void headersThatFitInNoFrameAreRefused() {
    String large = "x".repeat(30_000);
    assertRefused(
        "{'type': 'amqp', 'routingKey': 'k', 'headers': {'a': '"
            + large
            + "', 'b': ['"
            + large
            + "', {'c': '"
            + large
            + "'}]}}",
        "action.headers",
        "must be at most 65536 bytes in all");
    read(
        "{'type': 'amqp', 'routingKey': 'k', 'headers': {'a': '"
            + large
            + "', 'b': '"
            + large
            + "'}}");
  }

  @Test
  void propertiesAndTypedHeadersAreRead() {
    Action.Amqp amqp =
        (Action.Amqp)
            read("{'type': 'amqp', 'exchange': 'e', 'routingKey': 'k', 'bodyBase64': 'AAE=',"
                    + " 'properties': {'priority': 5, 'correlationId': 'c', 'headers':"
                    + " {'n': 1, 'b': {'$bytes': 'AA=='}, 't': {'x': [true]}}}}")
                .action();

    assertThat(amqp.properties())
        .isEqualTo(Map.of(MessageProperty.PRIORITY, "5", MessageProperty.CORRELATION_ID, "c"));
    assertThat(amqp.headers())
        .isEqualTo(
            Map.of(
                "n", 1, "b", new dev.carillon.task.Bytes("AA=="), "t", Map.of("x", List.of(true))));
    assertThat(amqp.body().orElseThrow().bytes()).containsExactly(0, 1);
  }
}
