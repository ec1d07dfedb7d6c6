package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Rules whose parts hardly ever agree, or never: to refuse one, or to find what comes next, costs
 * no more than some hundred times as much as to preview a plain schedule. It is about processor
 * time, of which the least of a few tries counts; one look at every day up to the year 9999 would
 * take longer than is allowed.
 */
class SparseRulesTest {

  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final int RULES = Integer.getInteger("rules", 1_500);
  private static final int TRIES = 20;

  /** Of the time that a preview of a thousand days takes: on the order of half a millisecond. */
  private static final int MOST = 200;

  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");
  private static final Instant LATE = Instant.parse("9950-01-01T00:00:00Z");

  private static final List<String> FREQUENCIES =
      List.of("SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY");
  private static final List<String> WEEKDAYS = List.of("MO", "TU", "WE", "TH", "FR", "SA", "SU");
  private static final List<String> ZONES =
      List.of("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu");

  /**
   * What has something in common with days, weeks, or the 400 years of the calendar, or nothing.
   */
  private static final List<Integer> INTERVALS =
      List.of(
          1,
          2,
          3,
          7,
          12,
          24,
          27,
          45,
          60,
          168,
          365,
          773,
          1_440,
          5_411,
          18_552,
          81_997,
          86_399,
          86_400,
          86_401,
          146_097,
          604_800,
          1_000_003,
          Integer.MAX_VALUE);

  private final Random random = new Random(SEED);

  static Stream<Map<String, Object>> foundBefore() {
    return Stream.of(
        rule("FREQ=MINUTELY;INTERVAL=45;BYMONTH=3;BYYEARDAY=7", "Europe/Berlin"),
        rule("FREQ=SECONDLY;INTERVAL=62231;BYMONTHDAY=2;BYYEARDAY=-169,22,30", "America/Santiago"),
        rule("FREQ=MINUTELY;INTERVAL=59;BYYEARDAY=1;BYHOUR=2;BYSECOND=30", "Europe/Berlin"),
        rule("FREQ=HOURLY;INTERVAL=168;BYDAY=WE", "Australia/Lord_Howe"),
        rule("FREQ=HOURLY;INTERVAL=18552;BYMONTH=3;BYMONTHDAY=15", "UTC"),
        rule("FREQ=SECONDLY;INTERVAL=1000003;BYHOUR=0,10;BYMINUTE=9;BYSECOND=48", "Asia/Kathmandu"),
        rule("FREQ=SECONDLY;INTERVAL=42338;BYHOUR=8,17;BYMINUTE=27;COUNT=2000", "Europe/Berlin"),
        rule("FREQ=MINUTELY;INTERVAL=60;BYMINUTE=30;BYMONTH=7", "Australia/Lord_Howe"),
        rule("FREQ=MINUTELY;INTERVAL=60;BYMINUTE=30;BYMONTH=1", "Australia/Lord_Howe"),
        rule("FREQ=SECONDLY;BYHOUR=0,1,2,3,4,5;COUNT=2000", "Europe/Berlin"),
        Map.of(
            "cron",
            "30 2 25-31 3 SUN#5",
            "timezone",
            "Europe/Berlin",
            "dst",
            Map.of("gap", "skip")));
  }

  private static Map<String, Object> rule(String rule, String zone) {
    return Map.of("rrule", rule, "startTime", "2026-11-01T10:00:00Z", "timezone", zone);
  }

  @Test
  void noneTakesLong() {
    System.out.println("SparseRulesTest: repeat with -Dseed=" + SEED);
    Duration plain =
        fastest(
            () ->
                Preview.of(
                        read(Map.of("cron", "0 9 * * *", "timezone", "Europe/Berlin"))
                            .orElseThrow(),
                        new Preview.Range(NOW, Optional.empty(), Preview.MOST),
                        NOW)
                    .instants()
                    .size(),
            Duration.ZERO);
    Duration limit = plain.multipliedBy(MOST);
    List<Map<String, Object>> definitions = new ArrayList<>(foundBefore().toList());
    while (definitions.size() < RULES) {
      definitions.add(definition());
    }
    int accepted = 0;
    for (Map<String, Object> definition : definitions) {
      accepted += read(definition).isPresent() ? 1 : 0;
      assertThat(fastest(() -> search(definition), limit))
          .as("%s, seed %s, plain %s", definition, SEED, plain)
          .isLessThan(limit);
    }
    assertThat(accepted).isBetween(RULES / 4, RULES * 9 / 10);
  }

  private static int search(Map<String, Object> definition) {
    Optional<Schedule> schedule = read(definition);
    Optional<Instant> first = schedule.flatMap(known -> known.next(NOW));
    Optional<Instant> second = first.flatMap(at -> schedule.get().next(at));
    Optional<Instant> late = schedule.flatMap(known -> known.next(LATE));
    return first.hashCode() + second.hashCode() + late.hashCode();
  }

  private static Optional<Schedule> read(Map<String, Object> definition) {
    Form form = Form.of(definition);
    Optional<Schedule> schedule = ScheduleReader.readNew(form, NOW);
    assertThat(form.problems().isEmpty()).isEqualTo(schedule.isPresent());
    return schedule;
  }

  /** The least of a few tries, or the first that is quick enough. */
  private static Duration fastest(IntSupplier computation, Duration enough) {
    Duration fastest = Duration.ofDays(1);
    for (int i = 0; i < TRIES && fastest.compareTo(enough) >= 0; i++) {
      long begin = CpuTime.now();
      int result = computation.getAsInt();
      Duration time = CpuTime.since(begin);
      assertThat(result).as("so that it is not in vain").isNotEqualTo(Integer.MIN_VALUE);
      fastest = time.compareTo(fastest) < 0 ? time : fastest;
    }
    return fastest;
  }

  private Map<String, Object> definition() {
    Map<String, Object> definition = new LinkedHashMap<>();
    definition.put("rrule", rule());
    definition.put(
        "startTime",
        LocalDateTime.of(2020, 1, 1, 0, 0)
            .plusSeconds(random.nextInt(220_000_000))
            .toInstant(ZoneOffset.UTC)
            .toString());
    definition.put("timezone", ZONES.get(random.nextInt(ZONES.size())));
    if (random.nextInt(3) == 0) {
      String gap = List.of("skip", "end", "shift").get(random.nextInt(3));
      String overlap = List.of("first", "last", "both").get(random.nextInt(3));
      definition.put("dst", Map.of("gap", gap, "overlap", overlap));
    }
    if (random.nextInt(6) == 0) {
      definition.put("monthEnd", "last");
    }
    return definition;
  }

  private String rule() {
    int frequency = random.nextInt(FREQUENCIES.size());
    boolean subDaily = frequency < 3;
    boolean weekly = frequency == 4;
    boolean monthly = frequency == 5;
    boolean yearly = frequency == 6;
    List<String> parts = new ArrayList<>();
    parts.add("FREQ=" + FREQUENCIES.get(frequency));
    parts.add("INTERVAL=" + interval());
    boolean byWeek = yearly && random.nextInt(4) == 0;
    add(parts, "BYMONTH", 1, 12, false);
    if (!weekly) {
      add(parts, "BYMONTHDAY", random.nextBoolean() ? 28 : 1, 31, true);
    }
    if (subDaily || yearly) {
      add(parts, "BYYEARDAY", random.nextBoolean() ? 355 : 1, 366, true);
    }
    if (byWeek) {
      parts.add("BYWEEKNO=" + numbers(1, 53, true));
    }
    if (random.nextInt(3) == 0) {
      int most = monthly ? 5 : 53;
      boolean numbered = (monthly || (yearly && !byWeek)) && random.nextBoolean();
      parts.add("BYDAY=" + weekdays(numbered ? most : 0));
    }
    add(parts, "BYHOUR", 0, 23, false);
    add(parts, "BYMINUTE", 0, 59, false);
    add(parts, "BYSECOND", 0, 59, false);
    if (parts.size() > 2 && random.nextInt(4) == 0) {
      parts.add("BYSETPOS=" + numbers(1, random.nextBoolean() ? 3 : 366, true));
    }
    if (random.nextInt(8) == 0) {
      parts.add("COUNT=" + (1 + random.nextInt(RecurrenceRuleParser.MAX_SUB_DAILY_COUNT)));
    }
    return String.join(";", parts);
  }

  private int interval() {
    return random.nextBoolean()
        ? INTERVALS.get(random.nextInt(INTERVALS.size()))
        : 1 + random.nextInt(random.nextBoolean() ? 100 : 100_000);
  }

  private void add(List<String> parts, String name, int min, int max, boolean signed) {
    if (random.nextInt(3) == 0) {
      parts.add(name + "=" + numbers(min, max, signed));
    }
  }

  private String numbers(int min, int max, boolean signed) {
    TreeSet<Integer> numbers = new TreeSet<>();
    for (int i = few(); i > 0; i--) {
      int number = min + random.nextInt(max - min + 1);
      numbers.add(signed && random.nextInt(4) == 0 ? -number : number);
    }
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private String weekdays(int most) {
    TreeSet<String> days = new TreeSet<>();
    for (int i = few(); i > 0; i--) {
      String day = WEEKDAYS.get(random.nextInt(WEEKDAYS.size()));
      days.add(most == 0 ? day : (1 + random.nextInt(most)) + day);
    }
    return String.join(",", days);
  }

  private int few() {
    return 1 + random.nextInt(random.nextInt(3) == 0 ? 8 : 2);
  }
}
