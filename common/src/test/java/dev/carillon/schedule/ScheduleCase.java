package dev.carillon.schedule;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A line of a case file: a definition, a window, and the exact instants expected in it or the field
 * that is expected to be refused.
 */
record ScheduleCase(Map<String, Object> content) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};
  private static final String NOW_BY_DEFAULT = "2026-12-01T00:00:00Z";

  static List<ScheduleCase> readAll(String file) {
    try (InputStream lines = ScheduleCase.class.getResourceAsStream("/" + file)) {
      return new String(lines.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(ScheduleCase::read)
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static ScheduleCase read(String line) {
    try {
      return new ScheduleCase(JSON.readValue(line, MAP));
    } catch (IOException malformed) {
      throw new UncheckedIOException(line, malformed);
    }
  }

  Map<?, ?> task() {
    return (Map<?, ?>) content.get("task");
  }

  Instant now() {
    return Instant.parse(text("now").orElse(NOW_BY_DEFAULT));
  }

  Instant from() {
    return Instant.parse(text("from").orElseThrow());
  }

  Instant until() {
    return Instant.parse(text("until").orElseThrow());
  }

  Optional<String> text(String field) {
    return Optional.ofNullable((String) content.get(field));
  }

  /** The instants, if they are all listed. */
  Optional<List<?>> expected() {
    return Optional.ofNullable((List<?>) content.get("expect"));
  }

  int expectedCount() {
    return (Integer) content.get("expectCount");
  }

  @Override
  public String toString() {
    return (String) content.get("id");
  }
}
