package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** However rare a schedule fires, its next instant and its preview come at once. */
class SpeedTest {

  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");
  private static final Duration LIMIT = Duration.ofMillis(50);

  /**
   * The first runs of a fresh JVM are interpreted; what counts is what the service will need. It is
   * processor time that is measured, and a busy neighbor makes even that longer.
   */
  private static final int TRIES = 30;

  static Stream<Map<String, Object>> sparse() {
    List<Object> leapDays = new ArrayList<>();
    for (int year = 2028; year < 2400; year += 4) {
      if (year % 100 != 0) {
        leapDays.add(LocalDate.of(year, 2, 29).toString());
      }
    }
    String zone = "Europe/Berlin";
    return Stream.of(
        Map.of("cron", "0 0 29 2 *", "exclude", leapDays, "timezone", zone),
        Map.of("cron", "0 0 * 2 MON#5", "exclude", leapDays),
        Map.of("cron", "59 59 23 31 12 *", "startTime", "9999-12-31T00:00:00Z"),
        rule("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", zone),
        rule("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=3;BYMINUTE=4;BYSECOND=5", zone),
        rule("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYMINUTE=59", zone),
        rule("FREQ=YEARLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29", zone),
        rule("FREQ=YEARLY;INTERVAL=7000", zone),
        rule("FREQ=DAILY;INTERVAL=100000", zone),
        rule("FREQ=DAILY;INTERVAL=13;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU", zone),
        rule("FREQ=SECONDLY;INTERVAL=86399;BYHOUR=5;BYMINUTE=6;BYSECOND=7", zone),
        rule("FREQ=YEARLY;BYMONTHDAY=20;BYDAY=MO;BYSETPOS=3", zone),
        rule("FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;BYMONTH=1;BYMONTHDAY=3", zone),
        rule("FREQ=MONTHLY;INTERVAL=11;BYDAY=5FR;BYSETPOS=1", zone),
        Map.of("interval", "P1Y", "startTime", "2096-02-29T00:00:00Z", "monthEnd", "skip"),
        Map.of("interval", "P3650000D", "startTime", "0001-01-01T00:00:00Z", "timezone", zone),
        Map.of("interval", Integer.MAX_VALUE));
  }

  private static Map<String, Object> rule(String rule, String zone) {
    return Map.of("rrule", rule, "startTime", "2026-11-01T00:00:00Z", "timezone", zone);
  }

  @ParameterizedTest
  @MethodSource("sparse")
  void nextOfSparseSchedule(Map<String, Object> definition) {
    assertThat(fastest(() -> read(definition).next(NOW).orElseThrow())).isLessThan(LIMIT);
  }

  @ParameterizedTest
  @MethodSource("sparse")
  void searchWhenNothingIsLeft(Map<String, Object> definition) {
    Instant late = Instant.parse("9990-01-01T00:00:00Z");
    Schedule schedule = read(definition);
    assertThat(fastest(() -> schedule.next(late))).isLessThan(LIMIT);
  }

  static Stream<Map<String, Object>> dense() {
    return Stream.of(
        Map.of("interval", "PT1S"),
        Map.of("interval", "P1D", "timezone", "Europe/Berlin"),
        Map.of("interval", "P1M", "startTime", "2026-12-31T00:00:00Z", "monthEnd", "skip"),
        Map.of("cron", "* * * * *", "timezone", "America/New_York"),
        Map.of("cron", "30 2 * * *", "timezone", "Europe/Berlin", "dst", Map.of("gap", "skip")),
        Map.of("cron", "* * 2 * * *", "timezone", "Europe/Berlin", "dst", Map.of("gap", "end")),
        Map.of("cron", "0 0 31 * *"),
        Map.of("cron", "0 0 29 2 *"),
        rule("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "Europe/Berlin"),
        rule("FREQ=HOURLY;BYMINUTE=0,30", "Australia/Lord_Howe"),
        Map.of("cron", "0 9 * * *", "maxRuns", 500, "exclude", List.of("2027-01-01")));
  }

  @ParameterizedTest
  @MethodSource("dense")
  void previewOfAThousandInstants(Map<String, Object> definition) {
    Schedule schedule = read(definition);
    Preview.Range range = new Preview.Range(NOW, Optional.empty(), Preview.MOST);

    assertThat(fastest(() -> Preview.of(schedule, range, NOW))).isLessThan(LIMIT);
    Preview preview = Preview.of(schedule, range, NOW);
    assertThat(preview.instants().size() + preview.missing().size()).isGreaterThanOrEqualTo(1_000);
  }

  @ParameterizedTest
  @MethodSource("dense")
  void countOfWhatIsLeftInAHundredYears(Map<String, Object> definition) {
    Schedule schedule = read(definition);
    Instant until = Instant.parse("2126-01-01T00:00:00Z");
    boolean computed =
        !definition.containsKey("rrule") && !"skip".equals(definition.get("monthEnd"));
    if (computed) {
      assertThat(((DefinedSchedule) schedule).count(NOW, until)).isPresent();
    }
    assertThat(fastest(() -> ((DefinedSchedule) schedule).count(NOW, until)))
        .isLessThan(LIMIT.multipliedBy(10));
  }

  private static Schedule read(Map<String, Object> definition) {
    return ScheduleReader.readStored(stored(definition)).orElseThrow();
  }

  private static Form stored(Map<String, Object> definition) {
    return Form.of(ScheduleReader.readNew(Form.of(definition), NOW).orElseThrow().toForm());
  }

  private static Duration fastest(Supplier<?> computation) {
    Duration fastest = Duration.ofDays(1);
    for (int i = 0; i < TRIES && fastest.compareTo(LIMIT) >= 0; i++) {
      long begin = CpuTime.now();
      assertThat(computation.get()).isNotNull();
      Duration time = CpuTime.since(begin);
      fastest = time.compareTo(fastest) < 0 ? time : fastest;
    }
    return fastest;
  }
}
