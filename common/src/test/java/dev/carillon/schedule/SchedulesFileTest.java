package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every line of {@code schedules.jsonl}: a definition, and what is to come of it. */
class SchedulesFileTest {

  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");

  private record Case(String id, Map<String, Object> content) {

    @SuppressWarnings("unchecked") // the file's format
    Map<String, Object> task() {
      return (Map<String, Object>) content.get("task");
    }

    Optional<String> text(String field) {
      return Optional.ofNullable((String) content.get(field));
    }

    Instant instant(String field) {
      return Instant.parse(text(field).orElseThrow());
    }

    @Override
    public String toString() {
      return id;
    }
  }

  static Stream<Case> cases() throws IOException {
    ObjectMapper json = new ObjectMapper();
    TypeReference<Map<String, Object>> type = new TypeReference<>() {};
    try (InputStream file = SchedulesFileTest.class.getResourceAsStream("/schedules.jsonl")) {
      List<Case> cases =
          new String(file.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .map(
                  line -> {
                    try {
                      Map<String, Object> content = json.readValue(line, type);
                      return new Case((String) content.get("id"), content);
                    } catch (IOException malformed) {
                      throw new IllegalStateException(line, malformed);
                    }
                  })
              .toList();
      return cases.stream();
    }
  }

  @Test
  void fileIsComplete() throws IOException {
    assertThat(cases()).hasSize(79);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void lineHolds(Case line) {
    Form form = Form.of(line.task());
    Optional<Schedule> schedule = ScheduleReader.readNew(form, NOW);
    form.rejectUnknown();

    if (line.text("expectError").isPresent()) {
      assertThat(schedule).isEmpty();
      assertThat(line.text("expectError").get().split("\\|"))
          .containsAll(form.problems().stream().map(Problem::field).toList());
      assertThat(form.problems()).isNotEmpty();
      return;
    }
    assertThat(form.problems()).isEmpty();
    List<String> instants =
        instants(schedule.orElseThrow(), line.instant("from"), line.instant("until"));
    if (line.content().get("expect") instanceof List<?> expected) {
      assertThat(instants).isEqualTo(expected);
    } else {
      assertThat(instants).hasSize((Integer) line.content().get("expectCount"));
      assertThat(instants).first().isEqualTo(line.text("expectFirst").orElseThrow());
      assertThat(instants).last().isEqualTo(line.text("expectLast").orElseThrow());
    }
  }

  private static List<String> instants(Schedule schedule, Instant from, Instant until) {
    List<String> instants = new ArrayList<>();
    Instant previous = from.minusMillis(1);
    Optional<Instant> next = schedule.next(previous);
    while (next.isPresent()
        && !next.get().isAfter(until)
        && instants.size() < schedule.maxRuns().orElse(Long.MAX_VALUE)) {
      assertThat(next.get()).isAfter(previous);
      instants.add(next.get().toString());
      previous = next.get();
      next = schedule.next(previous);
    }
    return instants;
  }
}
