package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.form.Form;
import dev.carillon.task.TaskDefinition;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.DocumentCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of schedule survives being a BSON document. */
final class DefinitionStorageTest {

  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");

  static Stream<Arguments> definitions() throws IOException {
    List<Arguments> definitions = new ArrayList<>();
    try (InputStream file = DefinitionStorageTest.class.getResourceAsStream("/schedules.jsonl")) {
      new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(Document::parse)
          .forEach(
              line ->
                  readNew(line.get("task", Document.class))
                      .ifPresent(
                          definition ->
                              definitions.add(arguments(line.getString("id"), definition))));
    }
    return definitions.stream();
  }

  private static Optional<TaskDefinition> readNew(Document schedule) {
    return DefinitionReader.readNew(Form.of(schedule.append("name", "n")), NOW);
  }

  @Test
  void thereAreMany() throws IOException {
    assertThat(definitions().count()).isGreaterThan(30);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("definitions")
  void aDefinitionComesBackAsItWas(String id, TaskDefinition definition) {
    RawBsonDocument bytes = new RawBsonDocument(TaskCodec.encode(definition), new DocumentCodec());

    Form stored = Form.of(bytes.decode(new DocumentCodec()));

    assertThat(DefinitionReader.readStored(stored)).as(id).contains(definition);
    assertThat(stored.problems()).isEmpty();
  }
}
