package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What comes before an instant, and how many there are, agree with what comes after. */
class DueCheckTest {

  private static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");

  static Stream<Map<String, Object>> definitions() {
    String berlin = "Europe/Berlin";
    return Stream.of(
        Map.of("interval", "PT1.5S"),
        Map.of("interval", "P1M", "startTime", "2027-01-31T09:00:00Z", "monthEnd", "skip"),
        Map.of("cron", "*/20 1-3 * * *", "timezone", berlin, "dst", Map.of("gap", "end")),
        Map.of("cron", "30 2 * * *", "timezone", berlin, "dst", Map.of("overlap", "both")),
        Map.of("cron", "0 * * * *", "timezone", "Australia/Lord_Howe", "endTime", "2027-02-01"),
        Map.of("cron", "0 0 29 2 *", "exclude", List.of("2028-02-29")),
        Map.of("rrule", "FREQ=MINUTELY;INTERVAL=45;BYMONTH=3", "timezone", berlin),
        Map.of("rrule", "FREQ=MONTHLY;BYDAY=-1FR,1MO;COUNT=20"),
        Map.of("at", "2027-05-05T05:05:05.005Z"));
  }

  @ParameterizedTest
  @MethodSource("definitions")
  void previousIsTheReverseOfNext(Map<String, Object> definition) {
    Schedule schedule = read(definition);
    List<Instant> firings = new ArrayList<>();
    Optional<Instant> next = schedule.next(NOW);
    while (next.isPresent() && firings.size() < 60) {
      firings.add(next.get());
      next = schedule.next(next.get());
    }

    Optional<Instant> previous = schedule.previous(firings.get(0));
    assertThat(previous.flatMap(schedule::next)).isIn(Optional.empty(), next(firings, 0));
    for (int i = 0; i < firings.size(); i++) {
      Instant at = firings.get(i);
      assertThat(schedule.previous(at)).as("before %s", at).isEqualTo(previous);
      assertThat(schedule.previous(at.plusNanos(1))).contains(at);
      assertThat(schedule.previous(at.plusMillis(1))).contains(at);
      assertThat(schedule.count(NOW, at)).hasValue(i + 1);
      DueCheck check = DueCheck.of(schedule, at);
      assertThat(check.isDue()).isTrue();
      assertThat(check.reason()).isEmpty();
      assertThat(check.before()).isEqualTo(previous);
      assertThat(check.after()).isEqualTo(schedule.next(at));
      previous = Optional.of(at);
    }
  }

  private static Optional<Instant> next(List<Instant> firings, int i) {
    return Optional.of(firings.get(i));
  }

  @Test
  void anyInstantMayBeAskedFor() {
    Schedule schedule = read(Map.of("cron", "0 0 1 1 *"));
    assertThat(schedule.previous(Instant.MIN)).isEmpty();
    assertThat(schedule.previous(Instant.MAX)).contains(Instant.parse("9999-01-01T00:00:00Z"));
    assertThat(DueCheck.of(schedule, Form.EARLIEST).isDue()).isTrue();
    assertThat(DueCheck.of(schedule, Form.EARLIEST).before()).isEmpty();
    assertThat(DueCheck.of(schedule, Form.LATEST).after()).isEmpty();
    assertThat(DueCheck.of(schedule, Form.LATEST).reason()).isEmpty();
  }

  private static Schedule read(Map<String, Object> definition) {
    return ScheduleReader.readNew(Form.of(definition), NOW).orElseThrow();
  }
}
