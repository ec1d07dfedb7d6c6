package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ElapsedIntervalTest {

  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");

  @Test
  void firesAtStartAndThenEveryInterval() {
    Schedule schedule = read(Map.of("interval", 1, "startTime", "2027-01-04T08:00:00Z"));

    assertThat(schedule.next(NOW)).contains(Instant.parse("2027-01-04T08:00:00Z"));
    assertThat(schedule.next(Instant.parse("2027-01-04T08:00:00Z")))
        .contains(Instant.parse("2027-01-04T08:01:00Z"));
    assertThat(schedule.next(Instant.parse("2027-01-04T08:00:59.999999Z")))
        .contains(Instant.parse("2027-01-04T08:01:00Z"));
  }

  @Test
  void endIsInclusive() {
    Schedule schedule =
        read(
            Map.of(
                "interval", 1,
                "startTime", "2027-01-04T08:00:00Z",
                "endTime", "2027-01-04T08:04:00Z"));

    assertThat(schedule.remaining(NOW)).hasValue(5);
    assertThat(schedule.next(Instant.parse("2027-01-04T08:03:00Z")))
        .contains(Instant.parse("2027-01-04T08:04:00Z"));
    assertThat(schedule.next(Instant.parse("2027-01-04T08:04:00Z"))).isEmpty();
  }

  @Test
  void withoutStartTimeFiresFirstOneIntervalFromNow() {
    Schedule schedule = read(Map.of("interval", "PT30S"));

    assertThat(schedule.next(NOW)).contains(NOW.plusSeconds(30));
    assertThat(schedule.toUserForm())
        .isEqualTo(Map.of("interval", "PT30S", "startTime", "2026-12-01T00:00:30Z"));
  }

  @Test
  void startInThePastKeepsItsRhythm() {
    Schedule schedule = read(Map.of("interval", "PT7M", "startTime", "2020-01-01T00:00:00Z"));

    Instant next = schedule.next(NOW).orElseThrow();

    assertThat(next).isAfter(NOW).isBeforeOrEqualTo(NOW.plusSeconds(420));
    assertThat(Duration.between(Instant.parse("2020-01-01T00:00:00Z"), next).toSeconds() % 420)
        .isZero();
  }

  @Test
  void bareDatesMeanTheWholeLocalDay() {
    Schedule schedule =
        read(
            Map.of(
                "interval", 60,
                "startTime", "2027-03-28",
                "endTime", "2027-03-28",
                "timezone", "Europe/Berlin"));

    assertThat(schedule.next(NOW)).contains(Instant.parse("2027-03-27T23:00:00Z"));
    assertThat(schedule.remaining(NOW)).as("the day of 23 hours").hasValue(23);
    assertThat(schedule.next(Instant.parse("2027-03-28T21:00:00Z"))).isEmpty();
  }

  @Test
  void countsHoweverManyByDivision() {
    Schedule schedule =
        read(
            Map.of(
                "interval", "PT1S",
                "startTime", "0001-01-01T00:00:00Z",
                "endTime", "9999-12-31T23:59:59Z"));

    assertThat(schedule.remaining(Instant.MIN)).hasValue(315_537_897_600L);
    assertThat(schedule.remaining(Instant.parse("9999-12-31T23:59:58Z"))).hasValue(1);
    assertThat(schedule.remaining(Instant.MAX)).hasValue(0);
  }

  @Test
  void withoutEndCountsNothing() {
    assertThat(read(Map.of("interval", 5)).remaining(NOW)).isEmpty();
  }

  @Test
  void longestIntervalsAndLatestYearsDoNotOverflow() {
    Schedule longest =
        read(Map.of("interval", Integer.MAX_VALUE, "startTime", "9999-12-31T23:59:00Z"));
    assertThat(longest.next(NOW)).contains(Instant.parse("9999-12-31T23:59:00Z"));
    assertThat(longest.next(Instant.parse("9999-12-31T23:59:00Z"))).isEmpty();
    assertThat(longest.next(Instant.MAX)).isEmpty();

    Schedule earliest =
        read(Map.of("interval", Integer.MAX_VALUE, "startTime", "0001-01-01T00:00:00Z"));
    assertThat(earliest.next(Instant.MIN)).contains(Instant.parse("0001-01-01T00:00:00Z"));
    assertThat(earliest.next(NOW)).contains(Instant.parse("4084-01-24T02:07:00Z"));
  }

  @Test
  void readsBackWhatItWrites() {
    Map<String, Object> definition =
        Map.of(
            "interval", "pt90s",
            "startTime", "2027-05-01T18:00:00.123456+08:00",
            "endTime", "2027-06-01",
            "timezone", "Europe/Kyiv",
            "maxRuns", 7,
            "jitter", "PT10S");
    Schedule schedule = read(definition);

    assertThat(schedule.toForm())
        .containsExactly(
            Map.entry("interval", "PT90S"),
            Map.entry("startTime", "2027-05-01T10:00:00.123Z"),
            Map.entry("endTime", "2027-06-01"),
            Map.entry("timezone", "Europe/Kyiv"),
            Map.entry("maxRuns", 7L),
            Map.entry("jitter", "PT10S"));
    assertThat(ScheduleReader.readStored(Form.of(schedule.toForm()))).contains(schedule);
    assertThat(schedule.maxRuns()).isEqualTo(OptionalLong.of(7));
  }

  @Test
  void storedScheduleMayBeOver() {
    Form form =
        Form.of(
            Map.of(
                "interval", 5,
                "startTime", "2020-05-01T10:00:00Z",
                "endTime", "2020-05-01T11:00:00Z"));

    assertThat(ScheduleReader.readStored(form).orElseThrow().next(NOW)).isEmpty();
  }

  @Test
  void storedIntervalNeedsItsStart() {
    Form form = Form.of(Map.of("interval", 5));

    assertThat(ScheduleReader.readStored(form)).isEmpty();
    assertThat(form.problems()).extracting(Problem::field).containsExactly("startTime");
  }

  @Test
  void jitterIsStableSpreadAndBounded() {
    Schedule schedule = read(Map.of("interval", 5, "jitter", "PT0.009S"));
    Set<Long> offsets = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      Duration offset = schedule.jitterFor("task_" + i);
      assertThat(offset).isEqualTo(schedule.jitterFor("task_" + i));
      offsets.add(offset.toMillis());
    }

    assertThat(offsets).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    assertThat(read(Map.of("interval", 5)).jitterFor("task_0")).isZero();
  }

  @Test
  void jitterDoesNotChangeWithReleases() {
    Schedule schedule = read(Map.of("interval", 5, "jitter", "PT1H"));

    assertThat(schedule.jitterFor("66f0c0ffee_0")).isEqualTo(Duration.ofMillis(2_688_720));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "P",
        "PT",
        "PT0S",
        "PT0.999S",
        "PT-5M",
        "-PT5M",
        "P1DT12H",
        "banana",
        "PT1.0001S",
        "PT99999999999999999999H",
        "PT100000000H",
        "P99999999999D",
        "Ｐ１Ｄ"
      })
  void refusesTextsThatAreNoInterval(String interval) {
    assertRefused(Map.of("interval", interval), "interval");
  }

  @Test
  void refusesOtherValuesThatAreNoInterval() {
    List<Object> values =
        Arrays.asList(
            null,
            0,
            -5,
            0.5,
            5.0,
            new BigDecimal("5"),
            2_147_483_648L,
            Long.MIN_VALUE,
            BigInteger.TEN.pow(1000),
            true,
            List.of(5),
            Map.of());
    for (Object value : values) {
      Map<String, Object> definition = new HashMap<>();
      definition.put("interval", value);
      assertRefused(definition, "interval");
    }
  }

  @Test
  void refusesHugeTextQuickly() {
    String huge = "P".repeat(5_000_000);
    long begin = System.nanoTime();
    assertRefused(
        Map.of("interval", huge, "startTime", huge, "endTime", huge, "timezone", huge),
        "timezone",
        "startTime",
        "endTime",
        "interval");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void refusesWhatWouldNeverFireAgain() {
    assertRefused(
        Map.of(
            "interval", 5,
            "startTime", "2020-05-01T10:00:00Z",
            "endTime", "2020-05-01T11:00:00Z"),
        "endTime");
    assertRefused(Map.of("interval", 5, "endTime", "2026-12-01T00:04:59Z"), "endTime");
    assertRefused(
        Map.of("interval", Integer.MAX_VALUE, "startTime", "6000-01-01", "endTime", "5000-01-01"),
        "endTime");
  }

  @Test
  void refusesFirstFiringBeyondTheYear9999() {
    Form form = Form.of(Map.of("interval", "PT87600000H"));

    assertThat(ScheduleReader.readNew(form, NOW)).isEmpty();
    assertThat(form.problems()).extracting(Problem::field).containsExactly("interval");
  }

  @Test
  void refusesEndBeforeStart() {
    assertRefused(
        Map.of(
            "interval", 5,
            "startTime", "2027-05-01T10:00:00Z",
            "endTime", "2027-05-01T09:00:00Z"),
        "endTime");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Mars/Base",
        "GMT+25:00",
        "+02:00",
        "GMT+5",
        "europe/berlin",
        "",
        " UTC",
        "SystemV/PST8",
        "UTC\u0000"
      })
  void refusesUnknownZones(String timezone) {
    assertRefused(Map.of("interval", 5, "timezone", timezone), "timezone");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UTC",
        "Europe/Kiev",
        "Europe/Kyiv",
        "EST",
        "HST",
        "MST",
        "ROC",
        "GMT",
        "Etc/GMT+5"
      })
  void acceptsZonesByOldAndNewNames(String timezone) {
    assertThat(read(Map.of("interval", 5, "timezone", timezone)).next(NOW)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "tomorrow",
        "2027-05-01T10:00:00",
        "2027-02-30",
        "0000-01-01",
        "+10000-01-01T00:00:00Z",
        "2027-13-01T00:00:00Z",
        "27-05-01",
        "２０２７-05-01"
      })
  void refusesMalformedTimes(String text) {
    assertRefused(Map.of("interval", 5, "startTime", text), "startTime");
    assertRefused(Map.of("interval", 5, "endTime", text), "endTime");
  }

  @Test
  void refusesBadLimits() {
    for (Object maxRuns : List.of(0, -1, 1.5, "3", 2_147_483_648L)) {
      assertRefused(Map.of("interval", 5, "maxRuns", maxRuns), "maxRuns");
    }
    for (Object jitter : List.of("PT-1S", "PT25H", 5, "soon")) {
      assertRefused(Map.of("interval", 5, "jitter", jitter), "jitter");
    }
  }

  @Test
  void refusesTaskWithoutSchedule() {
    assertRefused(Map.of(), "schedule");
  }

  private static Schedule read(Map<String, ?> definition) {
    Form form = Form.of(definition);
    Optional<Schedule> schedule = ScheduleReader.readNew(form, NOW);
    assertThat(form.problems()).isEmpty();
    return schedule.orElseThrow();
  }

  private static void assertRefused(Map<String, ?> definition, String... fields) {
    Form form = Form.of(definition);
    assertThat(ScheduleReader.readNew(form, NOW)).as("%.100s", definition).isEmpty();
    assertThat(form.problems()).extracting(Problem::field).containsExactly(fields);
  }
}
