package dev.carillon.schedule;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Says in plain English when a schedule fires. */
final class ScheduleReading {

  private static final int MOST_EXCLUSIONS = 5;

  private ScheduleReading() {}

  /**
   * @param from what was before does not matter to the reader
   */
  static String of(DefinedSchedule schedule, Instant from) {
    List<String> clauses = new ArrayList<>();
    clauses.add(schedule.occurrences().reading());
    Map<String, Object> form = schedule.toForm();
    boolean isUtc = schedule.zone().getRules().equals(ZoneOffset.UTC.getRules());
    if (!isUtc && !schedule.kind().equals("at")) {
      clauses.add(form.get("timezone") + " time");
    }
    if (form.containsKey("startTime")) {
      clauses.add("from " + form.get("startTime"));
    }
    if (form.containsKey("endTime")) {
      clauses.add("until " + form.get("endTime"));
    }
    schedule.maxRuns().ifPresent(runs -> clauses.add("at most " + English.count(runs, "run")));
    if (!schedule.longestJitter().isZero()) {
      clauses.add("each up to " + English.duration(schedule.longestJitter()) + " later");
    }
    clauses.addAll(exclusions(schedule.window().exclusions().given()));
    List<String> sentences = new ArrayList<>();
    sentences.add(String.join(", ", clauses) + ".");
    sentences.addAll(schedule.occurrences().remarks(from));
    return String.join(" ", sentences);
  }

  private static List<String> exclusions(List<Exclusions.Exclusion> given) {
    if (given.isEmpty()) {
      return List.of();
    }
    List<String> texts =
        given.stream()
            .limit(MOST_EXCLUSIONS)
            .map(Exclusions.Exclusion::reading)
            .collect(Collectors.toCollection(ArrayList::new));
    int more = given.size() - texts.size();
    if (more > 0) {
      texts.add(more + " more");
    }
    return List.of("but not on " + English.and(texts));
  }
}
