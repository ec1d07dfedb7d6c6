package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Cron in every time zone of the JDK, held against a check of each single minute that shares no
 * code with it. Around every change of the clocks from 2024 to 2034 with an expression that is
 * likely to meet it, and for whole decades in a few zones.
 */
class ZonesPropertyTest {

  private static final Instant BEGIN = Instant.parse("2024-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("2034-12-31T23:59:00Z");
  private static final Duration AROUND = Duration.ofHours(30);
  private static final int WHOLE_DECADES = 2;
  private static final int EXPRESSIONS_PER_CHANGE = 2;

  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final Random RANDOM = new Random(SEED);

  @BeforeAll
  static void printSeed() {
    System.out.println("ZonesPropertyTest: repeat with -Dseed=" + SEED);
  }

  @Test
  void agreesWithEverySingleMinuteAroundEveryChangeOfTheClocks() {
    int windows = 0;
    for (ZoneId zone : zones()) {
      List<ZoneOffsetTransition> changes = changes(zone.getRules());
      for (ZoneOffsetTransition change : changes) {
        Instant from = change.getInstant().truncatedTo(ChronoUnit.MINUTES).minus(AROUND);
        for (int i = 0; i < EXPRESSIONS_PER_CHANGE; i++) {
          assertAgrees(near(change), rules(), zone, from, from.plus(AROUND.multipliedBy(2)));
          windows++;
        }
      }
      if (changes.isEmpty()) {
        Instant from = BEGIN.plus(RANDOM.nextInt(3_000), ChronoUnit.DAYS);
        assertAgrees(anywhere(), rules(), zone, from, from.plus(AROUND));
        windows++;
      }
    }
    assertThat(windows).as("windows that were compared").isGreaterThan(6_000);
  }

  @Test
  void agreesWithEverySingleMinuteOfADecade() {
    List<ZoneId> zones = zones();
    for (int i = 0; i < WHOLE_DECADES; i++) {
      ZoneId zone = zones.get(RANDOM.nextInt(zones.size()));
      assertAgrees(anywhere(), rules(), zone, BEGIN, END);
    }
  }

  /** What is moved out of a gap must not reach beyond the next change; the code relies on it. */
  @Test
  void noTwoChangesOfTheClocksAreCloserThanTheirLength() {
    for (String name : ZoneId.getAvailableZoneIds()) {
      ZoneRules rules = ZoneId.of(name).getRules();
      ZoneOffsetTransition change = rules.nextTransition(Instant.parse("1800-01-01T00:00:00Z"));
      while (change != null && change.getInstant().isBefore(END)) {
        ZoneOffsetTransition next = rules.nextTransition(change.getInstant());
        if (next != null) {
          assertThat(Duration.between(change.getInstant(), next.getInstant()))
              .as("%s: %s, %s", name, change, next)
              .isGreaterThan(change.getDuration().abs());
        }
        change = next;
      }
    }
  }

  private static List<ZoneId> zones() {
    return ZoneId.getAvailableZoneIds().stream()
        .sorted()
        .filter(name -> TimeZones.find(name).isPresent())
        .map(ZoneId::of)
        .toList();
  }

  private static List<ZoneOffsetTransition> changes(ZoneRules rules) {
    List<ZoneOffsetTransition> changes = new ArrayList<>();
    ZoneOffsetTransition change = rules.nextTransition(BEGIN);
    while (change != null && change.getInstant().isBefore(END)) {
      changes.add(change);
      change = rules.nextTransition(change.getInstant());
    }
    return changes;
  }

  private record Rules(String gap, String overlap) {}

  private static Rules rules() {
    return new Rules(pick("shift", "end", "skip"), pick("first", "last", "both"));
  }

  /** An expression that fires in the hours around a change of the clocks. */
  private static String near(ZoneOffsetTransition change) {
    int hour = change.getDateTimeBefore().getHour();
    String hours =
        switch (RANDOM.nextInt(5)) {
          case 0 -> "*";
          case 1 -> "*/" + (2 + RANDOM.nextInt(3));
          case 2 -> hour + "," + (hour + 23) % 24;
          case 3 -> hour + "," + (hour + 1) % 24;
          default -> String.valueOf(hour);
        };
    LocalDateTime day = change.getDateTimeAfter();
    String onlyThatDay = day.getDayOfMonth() + " " + day.getMonthValue() + " *";
    return minutes() + " " + hours + " " + pick("* * *", onlyThatDay);
  }

  private static String anywhere() {
    return String.join(
        " ",
        minutes(),
        pick("*", String.valueOf(RANDOM.nextInt(24)), "1-3", "*/6", "0,23"),
        pick("*", "*", String.valueOf(1 + RANDOM.nextInt(31)), "*/7", "28-31"),
        pick("*", "*", "3,4,9-11"),
        pick("*", "*", "0", "1-5", "6,7"));
  }

  private static String minutes() {
    return pick(
        "*", "0", String.valueOf(RANDOM.nextInt(60)), "*/7", "*/15", "5-50/9", "0,29,30,31,59");
  }

  private static String pick(String... choices) {
    return choices[RANDOM.nextInt(choices.length)];
  }

  private static void assertAgrees(
      String cron, Rules rules, ZoneId zone, Instant from, Instant until) {
    String description = cron + " " + zone + " " + rules + " from " + from + ", seed " + SEED;
    Map<String, Object> dst = Map.of("gap", rules.gap(), "overlap", rules.overlap());
    Form form = Form.of(Map.of("cron", cron, "timezone", zone.getId(), "dst", dst));
    Optional<Schedule> read = ScheduleReader.readStored(form);
    boolean neverFires = read.isEmpty();
    Schedule schedule = neverFires ? null : read.get();
    List<Instant> expected = new MinuteCheck(cron, rules, zone).instants(from, until);

    if (neverFires) {
      assertThat(expected).as(description).isEmpty();
      return;
    }
    assertThat(list(schedule, from, until)).as(description).isEqualTo(expected);
    assertThat(((DefinedSchedule) schedule).count(from.minusMillis(1), until))
        .as(description)
        .hasValue(expected.size());
    TreeMap<Instant, Boolean> entries = new TreeMap<>();
    expected.forEach(instant -> entries.put(instant, true));
    for (int i = 0; i < 50 && !expected.isEmpty(); i++) {
      long span = Duration.between(from, expected.get(expected.size() - 1)).toMillis();
      Instant after = from.plusMillis(RANDOM.nextLong(span + 1)).minusMillis(1);
      assertThat(schedule.next(after)).as(description).contains(entries.higherKey(after));
    }
  }

  private static List<Instant> list(Schedule schedule, Instant from, Instant until) {
    List<Instant> list = new ArrayList<>();
    Instant previous = from.minusMillis(1);
    Optional<Instant> next = schedule.next(previous);
    while (next.isPresent() && !next.get().isAfter(until)) {
      assertThat(next.get()).isAfter(previous);
      list.add(next.get());
      previous = next.get();
      next = schedule.next(previous);
    }
    return list;
  }

  /** Asks of every minute whether it is one, in the plainest way. */
  private static final class MinuteCheck {

    private static final Duration LONGER_THAN_ANY_GAP = Duration.ofHours(3);

    private final boolean[][] allowed = new boolean[5][];
    private final boolean anyDay;
    private final boolean anyWeekday;
    private final boolean everyHour;
    private final Rules rules;
    private final ZoneRules zone;

    MinuteCheck(String cron, Rules rules, ZoneId zone) {
      String[] fields = cron.split(" ", -1);
      int[] sizes = {60, 24, 32, 13, 8};
      for (int i = 0; i < sizes.length; i++) {
        allowed[i] = parse(fields[i], sizes[i], i == 2 || i == 3 ? 1 : 0);
      }
      allowed[4][0] |= allowed[4][7];
      this.anyDay = fields[2].equals("*");
      this.anyWeekday = fields[4].equals("*");
      this.everyHour = fields[1].equals("*");
      this.rules = rules;
      this.zone = zone.getRules();
    }

    private static boolean[] parse(String field, int size, int lowest) {
      boolean[] values = new boolean[size];
      for (String item : field.split(",", -1)) {
        String[] rangeAndStep = item.split("/", -1);
        String[] range = rangeAndStep[0].split("-", -1);
        boolean all = range[0].equals("*");
        int from = all ? lowest : Integer.parseInt(range[0]);
        int to = all ? size - 1 : Integer.parseInt(range[range.length - 1]);
        int step = rangeAndStep.length == 1 ? 1 : Integer.parseInt(rangeAndStep[1]);
        for (int value = from; value <= to; value += step) {
          values[value] = true;
        }
      }
      return values;
    }

    List<Instant> instants(Instant from, Instant until) {
      List<Instant> instants = new ArrayList<>();
      for (Instant minute = from;
          !minute.isAfter(until);
          minute = minute.plus(1, ChronoUnit.MINUTES)) {
        if (isShown(minute) || isMovedTo(minute)) {
          instants.add(minute);
        }
      }
      return instants;
    }

    private boolean isShown(Instant minute) {
      LocalDateTime local = LocalDateTime.ofInstant(minute, zone.getOffset(minute));
      if (!matches(local)) {
        return false;
      }
      List<ZoneOffset> offsets = zone.getValidOffsets(local);
      if (offsets.size() == 1 || everyHour || rules.overlap().equals("both")) {
        return true;
      }
      ZoneOffset wanted = offsets.get(rules.overlap().equals("first") ? 0 : 1);
      return zone.getOffset(minute).equals(wanted);
    }

    private boolean isMovedTo(Instant minute) {
      if (everyHour || rules.gap().equals("skip")) {
        return false;
      }
      ZoneOffset before = zone.getOffset(minute.minus(LONGER_THAN_ANY_GAP));
      if (before.equals(zone.getOffset(minute))) {
        return false;
      }
      LocalDateTime asBefore = LocalDateTime.ofInstant(minute, before);
      ZoneOffsetTransition change = zone.getTransition(asBefore);
      if (change == null || !change.isGap() || !change.getOffsetBefore().equals(before)) {
        return false;
      }
      if (rules.gap().equals("shift")) {
        return matches(asBefore);
      }
      return minute.equals(change.getInstant())
          && anyMatches(change.getDateTimeBefore(), change.getDateTimeAfter());
    }

    private boolean anyMatches(LocalDateTime from, LocalDateTime end) {
      return from.isBefore(end) && (matches(from) || anyMatches(from.plusMinutes(1), end));
    }

    private boolean matches(LocalDateTime local) {
      if (local.getSecond() != 0
          || !allowed[0][local.getMinute()]
          || !allowed[1][local.getHour()]
          || !allowed[3][local.getMonthValue()]) {
        return false;
      }
      boolean day = allowed[2][local.getDayOfMonth()];
      boolean weekday = allowed[4][local.getDayOfWeek().getValue() % 7];
      return (anyDay || anyWeekday) ? (day && weekday) : (day || weekday);
    }
  }
}
