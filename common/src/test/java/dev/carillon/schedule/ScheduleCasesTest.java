package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every line of the case files. */
class ScheduleCasesTest {

  private static final Map<String, Integer> LINES_BY_FILE =
      Map.of(
          "schedules.jsonl", 79,
          "named-schedules.jsonl", 206,
          "rfc5545-examples.jsonl", 42,
          "recurrence-rules.jsonl", 150);

  static Stream<ScheduleCase> cases() {
    return LINES_BY_FILE.keySet().stream()
        .sorted()
        .map(ScheduleCase::readAll)
        .flatMap(List::stream);
  }

  @Test
  void noLineIsLost() {
    LINES_BY_FILE.forEach((file, lines) -> assertThat(ScheduleCase.readAll(file)).hasSize(lines));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void lineHolds(ScheduleCase line) {
    Form form = Form.of(line.task());
    Optional<Schedule> schedule = ScheduleReader.readNew(form, line.now());
    form.rejectUnknown();

    if (line.text("expectError").isPresent()) {
      assertThat(schedule).isEmpty();
      assertThat(form.problems()).isNotEmpty();
      assertThat(List.of(line.text("expectError").get().split("\\|")))
          .containsAll(form.problems().stream().map(Problem::field).toList());
      return;
    }
    assertThat(form.problems()).isEmpty();
    List<String> instants = instants(schedule.orElseThrow(), line.from(), line.until());
    if (schedule.get().maxRuns().isEmpty()) {
      assertThat(((DefinedSchedule) schedule.get()).count(line.from().minusMillis(1), line.until()))
          .hasValue(instants.size());
    }
    if (line.expected().isPresent()) {
      assertThat(instants).isEqualTo(line.expected().get());
    } else {
      assertThat(instants).hasSize(line.expectedCount());
      assertThat(instants).first().isEqualTo(line.text("expectFirst").orElseThrow());
      assertThat(instants).last().isEqualTo(line.text("expectLast").orElseThrow());
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void acceptedDefinitionSurvivesBeingStored(ScheduleCase line) {
    Form form = Form.of(line.task());
    Optional<Schedule> schedule = ScheduleReader.readNew(form, line.now());
    assertThat(schedule.isPresent()).isEqualTo(line.text("expectError").isEmpty());

    schedule.ifPresent(
        written -> {
          Form stored = Form.of(written.toForm());
          Schedule read = ScheduleReader.readStored(stored).orElseThrow();
          stored.rejectUnknown();
          assertThat(stored.problems()).isEmpty();
          assertThat(read).isEqualTo(written).hasSameHashCodeAs(written);
          assertThat(instants(read, line.from(), line.until()))
              .isEqualTo(instants(written, line.from(), line.until()));
        });
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
