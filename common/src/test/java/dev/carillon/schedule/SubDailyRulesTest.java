package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rules of hours, minutes and seconds fire just when {@link SubDailyReference} says, and those that
 * are refused because they never fire have nothing there, either.
 */
class SubDailyRulesTest {

  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final int RULES = Integer.getInteger("rules", 60);
  private static final int MOST = 40;
  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");

  /** What the reference looks through, second by second. */
  private static final int DAYS = 2;

  private static final List<String> FREQUENCIES = List.of("SECONDLY", "MINUTELY", "HOURLY");
  private static final List<String> WEEKDAYS = List.of("MO", "TU", "WE", "TH", "FR", "SA", "SU");

  private final Random random = new Random(SEED);

  @Test
  void randomRulesFireAsTheReferenceSays() {
    System.out.println("SubDailyRulesTest: repeat with -Dseed=" + SEED);
    int fired = 0;
    for (int i = 0; i < RULES; i++) {
      String rule = rule();
      // where the hours are restricted the dst rules decide, which is another test's subject
      ZoneId zone = zone(rule);
      Instant start = NOW.plusSeconds(random.nextInt(40_000_000) - 20_000_000);
      Instant after = start.plusSeconds(random.nextInt(40_000_000) - 1_000_000);
      fired += compare(rule, zone, start, after).size();
    }
    assertThat(fired).isGreaterThan(RULES * MOST / 10);
  }

  /** Where the clocks are changed while the interval goes on. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "FREQ=HOURLY;INTERVAL=5;BYMINUTE=0,30 | Australia/Lord_Howe | 2027-04-02T21:10:00Z",
        "FREQ=HOURLY;INTERVAL=5;BYMINUTE=0,30 | Australia/Lord_Howe | 2027-10-01T21:10:00Z",
        "FREQ=HOURLY;INTERVAL=7;BYDAY=SA,SU   | America/Santiago    | 2027-09-04T01:15:00Z",
        "FREQ=MINUTELY;INTERVAL=50;BYDAY=SU   | Europe/Berlin       | 2027-10-30T12:20:07Z",
        "FREQ=MINUTELY;INTERVAL=50;BYDAY=SU   | Europe/Berlin       | 2027-03-27T12:20:07Z",
        "FREQ=SECONDLY;INTERVAL=4001;BYDAY=SU,MO | Asia/Kathmandu   | 2027-03-27T12:20:07Z"
      })
  void clockChangesDoNotStopTheInterval(String rule, String zone, Instant start) {
    assertThat(compare(rule, ZoneId.of(zone), start, start.minusSeconds(1))).isNotEmpty();
  }

  private List<Instant> compare(String rule, ZoneId zone, Instant start, Instant after) {
    SubDailyReference.Found expected =
        new SubDailyReference(rule, start, zone).list(after, DAYS, MOST);
    Form form =
        Form.of(Map.of("rrule", rule, "startTime", start.toString(), "timezone", zone.getId()));
    Optional<Schedule> schedule = ScheduleReader.readStored(form);
    assertThat(list(schedule, after, expected.until()))
        .as("%s from %s in %s after %s, seed %s", rule, start, zone, after, SEED)
        .isEqualTo(expected.instants());
    return expected.instants();
  }

  private static List<Instant> list(Optional<Schedule> schedule, Instant after, Instant until) {
    List<Instant> list = new ArrayList<>();
    Optional<Instant> next = schedule.flatMap(known -> known.next(after));
    while (next.isPresent() && !next.get().isAfter(until) && list.size() < MOST) {
      list.add(next.get());
      next = schedule.get().next(next.get());
    }
    return list;
  }

  private ZoneId zone(String rule) {
    List<String> zones =
        rule.contains("BYHOUR")
            ? List.of("UTC", "Asia/Kathmandu", "Pacific/Marquesas")
            : List.of("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago");
    return ZoneId.of(zones.get(random.nextInt(zones.size())));
  }

  private String rule() {
    List<String> parts = new ArrayList<>();
    parts.add("FREQ=" + FREQUENCIES.get(random.nextInt(FREQUENCIES.size())));
    parts.add("INTERVAL=" + (1 + random.nextInt(List.of(3, 60, 5_000).get(random.nextInt(3)))));
    add(parts, 6, "BYMONTH", 1, 12, false);
    add(parts, 5, "BYMONTHDAY", 1, 31, true);
    add(parts, 8, "BYYEARDAY", 1, 366, true);
    if (random.nextInt(4) == 0) {
      parts.add(
          "BYDAY="
              + WEEKDAYS.stream()
                  .filter(day -> random.nextInt(2) == 0)
                  .collect(
                      Collectors.collectingAndThen(
                          Collectors.joining(","), days -> days.isEmpty() ? "TU" : days)));
    }
    add(parts, 3, "BYHOUR", 0, 23, false);
    add(parts, 2, "BYMINUTE", 0, 59, false);
    add(parts, 2, "BYSECOND", 0, 59, false);
    if (parts.size() > 2 && random.nextInt(4) == 0) {
      parts.add("BYSETPOS=" + numbers(1, 3, true));
    }
    return String.join(";", parts);
  }

  private void add(List<String> parts, int oneIn, String name, int min, int max, boolean signed) {
    if (random.nextInt(oneIn) == 0) {
      parts.add(name + "=" + numbers(min, max, signed));
    }
  }

  /** Few of them, or nearly all. */
  private String numbers(int min, int max, boolean signed) {
    int size = random.nextBoolean() ? 1 + random.nextInt(3) : max - min;
    return IntStream.range(0, size)
        .map(i -> min + random.nextInt(max - min + 1))
        .map(number -> signed && random.nextInt(4) == 0 ? -number : number)
        .distinct()
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(","));
  }
}
