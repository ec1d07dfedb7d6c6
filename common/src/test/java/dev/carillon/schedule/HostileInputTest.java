package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever is sent: an answer soon, and never an exception. */
class HostileInputTest {

  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");
  private static final Duration SOON = Duration.ofMillis(100);
  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final int MUTATIONS = 4_000;

  private static final List<String> FIELDS =
      List.of(
          "interval",
          "cron",
          "rrule",
          "at",
          "delay",
          "startTime",
          "endTime",
          "timezone",
          "maxRuns",
          "jitter",
          "exclude",
          "dst",
          "monthEnd");

  private static final List<Object> VALUES = values();

  private static List<Object> values() {
    List<Object> values = new ArrayList<>();
    Collections.addAll(
        values,
        null,
        true,
        0,
        -1,
        1.5,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        BigInteger.TEN.pow(10_000),
        "",
        " ",
        "\u0000",
        "💣",
        "١٢",
        "Ａ",
        "ß".repeat(500),
        "9".repeat(1_000_000),
        "*,".repeat(1_000_000),
        "* ".repeat(1_000_000),
        "P" + "9".repeat(40) + "D",
        "PT" + "9".repeat(18) + "H",
        "-999999999-01-01T00:00:00Z",
        "+999999999-12-31T23:59:59Z",
        "FREQ=SECONDLY;" + "BYSECOND=1;".repeat(100_000),
        "FREQ=YEARLY;BYMONTHDAY=" + "31,".repeat(1_000_000),
        "../../etc/localtime",
        List.of(),
        Collections.nCopies(100_000, "2027-01-01"),
        Collections.nCopies(10, List.of(List.of())),
        List.of(Map.of(), Map.of("from", 1), 1, ""),
        Map.of(),
        Map.of("gap", 1, "overlap", "sometimes", "more", "x"),
        Map.of("from", "2027-01-01", "to", "2026-01-01"));
    return Collections.unmodifiableList(values);
  }

  @Test
  void everyFieldRefusesNonsenseSoon() {
    for (String field : FIELDS) {
      for (Object value : VALUES) {
        Map<String, Object> definition = new LinkedHashMap<>();
        if (FIELDS.indexOf(field) > 4) {
          definition.put("interval", 5);
        }
        definition.put(field, value);
        String description = "%s: %.50s".formatted(field, value);
        boolean harmless = isHarmless(field, value);

        long begin = CpuTime.now();
        Form form = Form.of(definition);
        Optional<Schedule> schedule = ScheduleReader.readNew(form, NOW);
        form.rejectUnknown();
        assertThat(CpuTime.since(begin)).as(description).isLessThan(SOON);

        assertThat(schedule.isPresent()).as(description).isEqualTo(harmless);
        assertThat(form.problems().isEmpty()).as(description).isEqualTo(harmless);
        form.problems()
            .forEach(problem -> assertThat(problem.message()).hasSizeLessThan(500).isNotBlank());
      }
    }
  }

  private static boolean isHarmless(String field, Object value) {
    return (field.equals("exclude") && List.of().equals(value))
        || (field.equals("dst") && Map.of().equals(value));
  }

  /**
   * Definitions with a few characters changed: refused, or else a schedule that works and is fast.
   */
  @Test
  void mutatedExpressionsAreRefusedOrWork() {
    System.out.println("HostileInputTest: repeat with -Dseed=" + SEED);
    Random random = new Random(SEED);
    int accepted = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      boolean cron = random.nextBoolean();
      String text =
          mutate(random, cron ? CRONS : RULES, cron ? "0123456789*/,-?LW#@ " : RULE_CHARACTERS);
      String zone = random.nextBoolean() ? "UTC" : "Europe/Berlin";
      Form form =
          Form.of(
              Map.of(
                  cron ? "cron" : "rrule",
                  text,
                  "startTime",
                  "2026-02-28T10:11:12Z",
                  "timezone",
                  zone));
      long begin = CpuTime.now();
      Optional<Schedule> schedule = ScheduleReader.readNew(form, NOW);
      assertThat(CpuTime.since(begin))
          .as("%s, seed %s", text, SEED)
          .isLessThan(SOON.multipliedBy(100));
      if (schedule.isPresent()) {
        accepted++;
        Instant previous = NOW;
        for (int n = 0; n < 5; n++) {
          Optional<Instant> next = schedule.get().next(previous);
          if (next.isEmpty()) {
            break;
          }
          assertThat(next.get()).as("%s, seed %s", text, SEED).isAfter(previous);
          previous = next.get();
        }
        assertThat(
                Preview.of(schedule.get(), new Preview.Range(NOW, Optional.empty(), 3), NOW)
                    .reading())
            .as("%s, seed %s", text, SEED)
            .isNotBlank();
      } else {
        assertThat(form.problems()).as("%s, seed %s", text, SEED).isNotEmpty();
      }
    }
    assertThat(accepted).isGreaterThan(MUTATIONS / 100);
  }

  private static final List<String> CRONS =
      List.of(
          "30 2 * * *",
          "*/15 9-17 * * MON-FRI",
          "0 0 L,15W * *",
          "0 0 29 2 MON#5",
          "5 0 0 ? 6 5L",
          "0 0 1,15 * 3",
          "@daily");

  private static final String RULE_CHARACTERS = "0123456789,;=-MOTUWEFRSAYDLHIN";

  private static final List<String> RULES =
      List.of(
          "FREQ=DAILY;INTERVAL=2;COUNT=10",
          "FREQ=MONTHLY;BYDAY=-1FR,2MO;BYHOUR=9",
          "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
          "FREQ=YEARLY;BYWEEKNO=20,-1;BYDAY=MO",
          "FREQ=HOURLY;INTERVAL=5;BYMINUTE=0,30;BYSETPOS=-1",
          "FREQ=SECONDLY;INTERVAL=7;BYHOUR=3",
          "FREQ=WEEKLY;WKST=SU;BYDAY=TU,TH;UNTIL=20301224T000000Z",
          "FREQ=MINUTELY;INTERVAL=45;BYMONTH=3;BYYEARDAY=70,-290");

  private static String mutate(Random random, List<String> originals, String characters) {
    StringBuilder text = new StringBuilder(originals.get(random.nextInt(originals.size())));
    for (int i = random.nextInt(3); i >= 0; i--) {
      int place = random.nextInt(text.length());
      char character = characters.charAt(random.nextInt(characters.length()));
      switch (random.nextInt(3)) {
        case 0 -> text.setCharAt(place, character);
        case 1 -> text.insert(place, character);
        default -> text.deleteCharAt(place);
      }
      if (text.isEmpty()) {
        text.append(character);
      }
    }
    return text.toString();
  }

  @Test
  void anyInstantMayBeAskedFor() {
    List<Map<String, Object>> definitions =
        List.of(
            Map.of("interval", 5),
            Map.of(
                "interval", "P1M", "startTime", "2027-01-31T00:00:00Z", "timezone", "Asia/Tokyo"),
            Map.of("cron", "30 2 * * *", "timezone", "Pacific/Apia", "endTime", "9999-12-31"),
            Map.of("rrule", "FREQ=HOURLY;BYMINUTE=1", "timezone", "America/St_Johns"),
            Map.of("rrule", "FREQ=DAILY;COUNT=5"),
            Map.of("at", "9999-12-31T23:59:59.999Z"));
    for (Map<String, Object> definition : definitions) {
      Schedule schedule = ScheduleReader.readNew(Form.of(definition), NOW).orElseThrow();
      assertThat(schedule.next(Instant.MIN)).as("%s", definition).isPresent();
      assertThat(schedule.next(Instant.MAX)).as("%s", definition).isEmpty();
      assertThat(schedule.next(Form.LATEST)).as("%s", definition).isEmpty();
      assertThat(schedule.remaining(Instant.MAX).orElse(0)).as("%s", definition).isZero();
      schedule.remaining(Instant.MIN);
    }
  }
}
