package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.schedule.Preview.Firing;
import dev.carillon.schedule.Preview.Missing;
import dev.carillon.schedule.Preview.Range;
import dev.carillon.schedule.Preview.Standing;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PreviewTest {

  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");
  private static final String BERLIN = "Europe/Berlin";

  @Test
  void showsInstantsInUtcAndLocalTime() {
    Preview preview =
        preview(
            Map.of("cron", "30 2 * * *", "timezone", BERLIN),
            range("2027-03-27T01:30:00Z", "2027-03-29T00:30:00Z"));

    assertThat(preview.instants())
        .as("both ends are included")
        .containsExactly(
            firing("2027-03-27T01:30:00Z", "2027-03-27T02:30:00+01:00"),
            firing("2027-03-28T01:30:00Z", "2027-03-28T03:30:00+02:00"),
            firing("2027-03-29T00:30:00Z", "2027-03-29T02:30:00+02:00"));
    assertThat(preview.missing()).as("what is moved is not missing").isEmpty();
    assertThat(preview.reading())
        .isEqualTo(
            "At 02:30 every day, Europe/Berlin time. When the clocks go forward, a time in the gap"
                + " moves forward by the gap's length; when they go back, the first copy of a"
                + " repeated time fires.");
  }

  @Test
  void saysThatATimeLiesInTheGap() {
    Preview preview =
        preview(
            Map.of("cron", "30 2 * * *", "timezone", BERLIN, "dst", Map.of("gap", "skip")),
            range("2027-03-27T12:00:00Z", "2027-03-29T12:00:00Z"));

    assertThat(preview.instants())
        .containsExactly(firing("2027-03-29T00:30:00Z", "2027-03-29T02:30:00+02:00"));
    assertThat(preview.missing())
        .containsExactly(missing("2027-03-28T01:30:00Z", "2027-03-28T02:30:00", "in the DST gap"));
  }

  @Test
  void saysWhereATimeInTheGapHasGone() {
    Preview preview =
        preview(
            Map.of("cron", "*/30 2 * * *", "timezone", BERLIN, "dst", Map.of("gap", "end")),
            range("2027-03-28T00:00:00Z", "2027-03-28T12:00:00Z"));

    assertThat(preview.instants())
        .containsExactly(firing("2027-03-28T01:00:00Z", "2027-03-28T03:00:00+02:00"));
    assertThat(preview.missing())
        .containsExactly(
            missing(
                "2027-03-28T01:30:00Z",
                "2027-03-28T02:30:00",
                "in the DST gap; moved to its end, 2027-03-28T03:00:00+02:00"));
  }

  @Test
  void saysWhichCopyOfARepeatedHourIsLeftOut() {
    Map<String, Object> definition = Map.of("cron", "30 2 * * *", "timezone", BERLIN);
    Range range = range("2027-10-31T00:00:00Z", "2027-10-31T12:00:00Z");

    assertThat(preview(definition, range).missing())
        .containsExactly(
            missing(
                "2027-10-31T01:30:00Z",
                "2027-10-31T02:30:00+01:00",
                "the second copy of a repeated hour"));
    assertThat(preview(with(definition, "dst", Map.of("overlap", "last")), range).missing())
        .containsExactly(
            missing(
                "2027-10-31T00:30:00Z",
                "2027-10-31T02:30:00+02:00",
                "the first copy of a repeated hour"));
    assertThat(preview(with(definition, "dst", Map.of("overlap", "both")), range).missing())
        .isEmpty();
  }

  @Test
  void missesNothingOnElapsedTime() {
    for (String cron : List.of("* * * * *", "30 * * * *")) {
      Map<String, Object> definition = Map.of("cron", cron, "timezone", BERLIN);
      assertThat(
              preview(definition, range("2027-03-28T00:00:00Z", "2027-03-28T06:00:00Z")).missing())
          .isEmpty();
      assertThat(
              preview(definition, range("2027-10-31T00:00:00Z", "2027-10-31T06:00:00Z")).missing())
          .isEmpty();
    }
  }

  @Test
  void saysThatAMonthIsTooShort() {
    List<Map<String, Object>> definitions =
        List.of(
            Map.of("interval", "P1M", "startTime", "2027-01-31T09:00:00Z", "monthEnd", "skip"),
            Map.of("cron", "0 9 31 * *"),
            Map.of("rrule", "FREQ=MONTHLY", "startTime", "2027-01-31T09:00:00Z"),
            Map.of("rrule", "FREQ=MONTHLY;BYMONTHDAY=31", "startTime", "2027-01-01T09:00:00Z"));
    for (Map<String, Object> definition : definitions) {
      Preview preview = preview(definition, range("2027-02-01T00:00:00Z", "2027-04-30T23:59:59Z"));
      assertThat(preview.instants())
          .as("%s", definition)
          .containsExactly(firing("2027-03-31T09:00:00Z", "2027-03-31T09:00:00Z"));
      assertThat(preview.missing())
          .as("%s", definition)
          .containsExactly(
              missing("2027-02-28T09:00:00Z", "2027-02-28T09:00:00Z", "no 31st in this month"),
              missing("2027-04-30T09:00:00Z", "2027-04-30T09:00:00Z", "no 31st in this month"));
      assertThat(preview.reading()).endsWith(" Where there is no such day, it does not fire.");
    }
  }

  @Test
  void doesNotMissDaysThatOthersReplace() {
    Range february = range("2027-02-01T00:00:00Z", "2027-02-28T23:59:59Z");

    for (Map<String, Object> definition :
        List.<Map<String, Object>>of(
            Map.of("cron", "0 9 31 * *", "monthEnd", "last"),
            Map.of("cron", "0 9 31,L * *"),
            Map.of("interval", "P1M", "startTime", "2027-01-31T09:00:00Z"))) {
      Preview preview = preview(definition, february);
      assertThat(preview.instants())
          .as("%s", definition)
          .containsExactly(firing("2027-02-28T09:00:00Z", "2027-02-28T09:00:00Z"));
      assertThat(preview.missing()).as("%s", definition).isEmpty();
    }
  }

  @Test
  void saysThatThereIsNoFifthFriday() {
    for (Map<String, Object> definition :
        List.<Map<String, Object>>of(
            Map.of("cron", "0 9 * * FRI#5"),
            Map.of("rrule", "FREQ=MONTHLY;BYDAY=5FR", "startTime", "2027-01-29T09:00:00Z"))) {
      assertThat(
              preview(definition, range("2027-02-01T00:00:00Z", "2027-02-28T23:59:59Z")).missing())
          .as("%s", definition)
          .containsExactly(
              missing(
                  "2027-02-26T09:00:00Z", "2027-02-26T09:00:00Z", "no fifth Friday in this month"));
    }
  }

  @Test
  void saysWhatIsExcluded() {
    Preview preview =
        preview(
            Map.of(
                "cron",
                "0 9 * * *",
                "exclude",
                List.of(
                    Map.of("from", "2027-01-03", "to", "2027-01-04"),
                    "2027-01-02T09:00:00Z",
                    "2027-01-03")),
            range("2027-01-01T00:00:00Z", "2027-01-05T23:59:59Z"));

    assertThat(preview.instants())
        .extracting(Firing::at)
        .containsExactly(
            Instant.parse("2027-01-01T09:00:00Z"), Instant.parse("2027-01-05T09:00:00Z"));
    assertThat(preview.missing())
        .extracting(Missing::reason)
        .containsExactly(
            "excluded (2027-01-02T09:00:00Z)",
            "excluded (2027-01-03 to 2027-01-04)",
            "excluded (2027-01-03 to 2027-01-04)");
    assertThat(preview.reading())
        .isEqualTo(
            "At 09:00 every day, but not on 2027-01-03 to 2027-01-04, 2027-01-02T09:00:00Z and"
                + " 2027-01-03.");
  }

  @Test
  void saysWhatComesAfterTheEnd() {
    Map<String, Object> definition = Map.of("cron", "0 9 * * *", "endTime", "2027-01-02");

    Preview preview = preview(definition, range("2027-01-02T00:00:00Z", "2027-01-04T23:59:59Z"));
    assertThat(preview.instants()).hasSize(1);
    assertThat(preview.missing())
        .containsExactly(
            missing("2027-01-03T09:00:00Z", "2027-01-03T09:00:00Z", "after the end"),
            missing("2027-01-04T09:00:00Z", "2027-01-04T09:00:00Z", "after the end"));
    assertThat(preview(definition, first("2027-01-01T00:00:00Z", 3)).missing())
        .as("no more in all than were asked for")
        .hasSize(1);
    assertThat(preview(definition, first("2028-01-01T00:00:00Z", 2)).missing())
        .extracting(Missing::reason)
        .containsExactly("after the end", "after the end");
  }

  @Test
  void saysWhatComesAfterARuleHasEnded() {
    String start = "2027-01-01T09:00:00Z";
    Range range = range("2027-01-02T00:00:00Z", "2027-01-05T23:59:59Z");
    Map<String, Object> counted = Map.of("rrule", "FREQ=DAILY;COUNT=3", "startTime", start);

    assertThat(preview(counted, range).instants()).hasSize(2);
    assertThat(preview(counted, range).missing())
        .containsExactly(
            missing("2027-01-04T09:00:00Z", "2027-01-04T09:00:00Z", "over COUNT"),
            missing("2027-01-05T09:00:00Z", "2027-01-05T09:00:00Z", "over COUNT"));
    assertThat(
            preview(Map.of("rrule", "FREQ=DAILY;UNTIL=20270104", "startTime", start), range)
                .missing())
        .containsExactly(missing("2027-01-05T09:00:00Z", "2027-01-05T09:00:00Z", "after UNTIL"));
    assertThat(preview(with(counted, "endTime", "2027-01-02"), range).missing())
        .as("whichever end comes first")
        .extracting(Missing::reason)
        .containsExactly("after the end", "over COUNT", "over COUNT");
  }

  @Test
  void saysWhatIsOverMaxRuns() {
    Schedule schedule =
        read(Map.of("interval", "P1D", "startTime", "2027-01-01T00:00:00Z", "maxRuns", 3));
    Range range = first("2027-01-02T00:00:00Z", 4);

    Preview asNew = Preview.of(schedule, range, NOW);
    assertThat(asNew.instants())
        .extracting(Firing::at)
        .containsExactly(
            Instant.parse("2027-01-02T00:00:00Z"), Instant.parse("2027-01-03T00:00:00Z"));
    assertThat(asNew.missing())
        .containsExactly(
            missing("2027-01-04T00:00:00Z", "2027-01-04T00:00:00Z", "over maxRuns"),
            missing("2027-01-05T00:00:00Z", "2027-01-05T00:00:00Z", "over maxRuns"));

    Preview afterTwoRuns = Preview.of(schedule, range, standing("2027-01-02T12:00:00Z", 2));
    assertThat(afterTwoRuns.instants())
        .as("what is past does not use up what is left")
        .extracting(Firing::at)
        .containsExactly(
            Instant.parse("2027-01-02T00:00:00Z"), Instant.parse("2027-01-03T00:00:00Z"));
    assertThat(Preview.of(schedule, range, standing("2027-01-01T12:00:00Z", 3)).instants())
        .isEmpty();
    assertThat(asNew.reading())
        .isEqualTo("Every day at 00:00, from 2027-01-01T00:00:00Z, at most 3 runs.");
  }

  @Test
  void tellsAboutOneInstant() {
    Map<String, Object> definition =
        Map.of("cron", "30 2 * * *", "timezone", BERLIN, "exclude", List.of("2027-02-01"));
    Range excluded = range("2027-02-01T01:30:00Z", "2027-02-01T01:30:00Z");
    Range neverDue = range("2027-02-01T01:31:00Z", "2027-02-01T01:31:00Z");

    assertThat(preview(definition, excluded).missing())
        .extracting(Missing::reason)
        .containsExactly("excluded (2027-02-01)");
    assertThat(preview(definition, neverDue).instants()).isEmpty();
    assertThat(preview(definition, neverDue).missing()).isEmpty();

    Range firstCopy = range("2027-10-31T00:30:00Z", "2027-10-31T00:30:00Z");
    assertThat(preview(with(definition, "dst", Map.of("overlap", "last")), firstCopy).missing())
        .as("before the clocks are put back")
        .extracting(Missing::reason)
        .containsExactly("the first copy of a repeated hour");
  }

  @Test
  void readsOtherKinds() {
    Map<Map<String, Object>, String> readings = new HashMap<>();
    readings.put(Map.of("interval", 5), "Every 5 minutes, from 2026-12-01T00:05:00Z.");
    readings.put(Map.of("interval", "PT1H"), "Every hour, from 2026-12-01T01:00:00Z.");
    readings.put(
        Map.of("interval", "PT1H1.5S", "jitter", "PT90S"),
        "Every 1 hour 1.5 seconds, from 2026-12-01T01:00:01.500Z, each up to 1 minute 30 seconds"
            + " later.");
    readings.put(
        Map.of("interval", "P2W", "startTime", "2027-01-04", "endTime", "2027-03-01"),
        "Every 2 weeks on Monday at 00:00, from 2027-01-04, until 2027-03-01.");
    readings.put(
        Map.of("interval", "P1Y", "startTime", "2028-02-29T12:00:00Z"),
        "Every year on 29 February at 12:00, from 2028-02-29T12:00:00Z. Where there is no such day,"
            + " the month's last day takes its place.");
    readings.put(
        Map.of("interval", "P1M2D", "startTime", "2027-01-04T12:00:00Z"),
        "Every 1 month and 2 days at 12:00, from 2027-01-04T12:00:00Z.");
    readings.put(
        Map.of("at", "2027-01-04T12:00:00+01:00", "timezone", BERLIN),
        "Once, at 2027-01-04T11:00:00Z.");
    readings.put(Map.of("delay", "PT30M"), "Once, at 2026-12-01T00:30:00Z.");
    readings.put(
        Map.of("cron", "0 9 * * *", "timezone", "Asia/Kathmandu"),
        "At 09:00 every day, Asia/Kathmandu time.");
    readings.forEach(
        (definition, reading) ->
            assertThat(preview(definition, first("2026-12-01T00:00:00Z", 1)).reading())
                .isEqualTo(reading));
  }

  @Test
  void rangeHasDefaults() {
    assertThat(Range.read(Form.of(Map.of()), NOW, Optional.empty()))
        .contains(new Range(NOW, Optional.empty(), 10));
    assertThat(Range.read(Form.of(Map.of("until", "2027-01-01T00:00:00Z")), NOW, Optional.empty()))
        .contains(new Range(NOW, Optional.of(Instant.parse("2027-01-01T00:00:00Z")), 1_000));
    assertThat(
            Range.read(
                Form.of(Map.of("from", "2027-01-01T00:00:00Z", "count", 7)), NOW, Optional.empty()))
        .contains(first("2027-01-01T00:00:00Z", 7));
  }

  @Test
  void aBareDateInTheRangeIsTheWholeLocalDay() {
    Schedule schedule = read(Map.of("cron", "0 9 * * *", "timezone", "America/Santiago"));
    Form form = Form.of(Map.of("from", "2027-09-05", "until", "2027-09-05"));
    Range range = Range.read(form, NOW, Optional.of(schedule)).orElseThrow();

    assertThat(range.from()).isEqualTo(Instant.parse("2027-09-05T04:00:00Z")); // no midnight
    assertThat(range.until()).contains(Instant.parse("2027-09-06T02:59:59.999Z"));
  }

  @Test
  void localTimesHaveThreeDigitsOrNone() {
    Map<String, Object> definition =
        Map.of("at", "2027-01-01T00:00:00.080Z", "timezone", "Asia/Tokyo");

    assertThat(preview(definition, first("2026-12-01T00:00:00Z", 1)).instants().get(0).local())
        .isEqualTo("2027-01-01T09:00:00.080+09:00");
  }

  @Test
  void rangeIsChecked() {
    assertThat(problemsOfRange(Map.of("count", 0))).containsExactly("count");
    assertThat(problemsOfRange(Map.of("count", 1_001))).containsExactly("count");
    assertThat(problemsOfRange(Map.of("from", "now"))).containsExactly("from");
    assertThat(problemsOfRange(Map.of("until", "2026-11-30T00:00:00Z"))).containsExactly("until");
    assertThatThrownBy(() -> new Range(NOW, Optional.empty(), 1_001))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Standing standing(String until, long runs) {
    return new Standing(Instant.parse(until), runs, instant -> Optional.empty());
  }

  private static List<String> problemsOfRange(Map<String, Object> fields) {
    Form form = Form.of(fields);
    assertThat(Range.read(form, NOW, Optional.empty())).isEmpty();
    return form.problems().stream().map(Problem::field).toList();
  }

  private static Preview preview(Map<String, Object> definition, Range range) {
    return Preview.of(read(definition), range, NOW);
  }

  private static Schedule read(Map<String, Object> definition) {
    return ScheduleReader.readNew(Form.of(definition), NOW).orElseThrow();
  }

  private static Map<String, Object> with(
      Map<String, Object> definition, String field, Object value) {
    Map<String, Object> changed = new HashMap<>(definition);
    changed.put(field, value);
    return changed;
  }

  private static Range range(String from, String until) {
    return new Range(Instant.parse(from), Optional.of(Instant.parse(until)), Preview.MOST);
  }

  private static Range first(String from, int count) {
    return new Range(Instant.parse(from), Optional.empty(), count);
  }

  private static Firing firing(String at, String local) {
    return new Firing(Instant.parse(at), local);
  }

  private static Missing missing(String at, String local, String reason) {
    return new Missing(Instant.parse(at), local, reason);
  }
}
