package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a schedule from the top-level fields of a task: one of {@code interval}, {@code cron},
 * {@code rrule}, {@code at}, {@code delay}, and the fields that all of them share: {@code
 * startTime}, {@code endTime}, {@code timezone}, {@code maxRuns}, {@code jitter}, {@code exclude},
 * {@code dst}, {@code monthEnd}. Whatever is wrong is added to the form's problems.
 */
public final class ScheduleReader {

  /** The names of all fields that a schedule may have. */
  public static final Set<String> FIELDS =
      Set.of(
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

  /** The fields that say of what kind a schedule is, of which it has one. */
  public static final List<String> KINDS = KindReader.KINDS;

  static final String START_IS_DEFAULT = "startTimeIsDefault";

  private ScheduleReader() {}

  /**
   * Reads a new definition. What is relative is resolved against the present: an interval without
   * {@code startTime} fires first one interval from now, a {@code delay} becomes an {@code at}.
   * What would never fire again is refused.
   *
   * @return empty when a problem was added to the form
   */
  public static Optional<Schedule> readNew(Form form, Instant now) {
    return readNew(form, now, false);
  }

  /**
   * Reads a schedule that somebody has edited, as {@link #readNew(Form, Instant)} does.
   *
   * @param startIsDefault whether the form has a start that nobody asked for, see {@link
   *     Schedule#startIsDefault}
   */
  public static Optional<Schedule> readNew(Form form, Instant now, boolean startIsDefault) {
    Instant wholeMillis = now.truncatedTo(ChronoUnit.MILLIS);
    int problemsBefore = form.problems().size();
    Optional<DefinedSchedule> schedule = read(form, Optional.of(wholeMillis), startIsDefault);
    if (schedule.isPresent() && schedule.get().next(now).isEmpty()) {
      rejectOver(form, schedule.get(), now);
    }
    return form.problems().size() > problemsBefore
        ? Optional.empty()
        : schedule.map(Schedule.class::cast);
  }

  /**
   * Reads what {@link Schedule#toForm()} wrote, without asking whether it is over by now.
   *
   * @return empty when a problem was added to the form
   */
  public static Optional<Schedule> readStored(Form form) {
    boolean startIsDefault = form.flag(START_IS_DEFAULT).orElse(false);
    return read(form, Optional.empty(), startIsDefault).map(Schedule.class::cast);
  }

  private static Optional<DefinedSchedule> read(
      Form form, Optional<Instant> now, boolean startIsDefault) {
    int problemsBefore = form.problems().size();
    CommonFields common = new CommonFields(form);
    Optional<KindReader.Kind> kind = new KindReader(form, common, now).read();
    return form.problems().size() > problemsBefore
        ? Optional.empty()
        : kind.map(value -> schedule(value, common, startIsDefault || !form.has("startTime")));
  }

  private static DefinedSchedule schedule(
      KindReader.Kind kind, CommonFields common, boolean startIsDefault) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(kind.field(), kind.written());
    kind.start().ifPresent(start -> fields.put("startTime", start.text()));
    fields.putAll(common.written());
    if (kind.start().isPresent() && startIsDefault) {
      fields.put(START_IS_DEFAULT, true);
    }
    return new DefinedSchedule(
        fields,
        kind.occurrences(),
        new Window(kind.start(), common.end, common.exclusions),
        common.zone,
        common.maxRuns,
        common.jitter);
  }

  private static void rejectOver(Form form, DefinedSchedule schedule, Instant now) {
    if (schedule.occurrence(now).isPresent()) {
      form.reject("exclude", "leaves no instant in the future");
    } else if (form.has("at") || form.has("delay")) {
      form.reject(
          form.has("at") ? "at" : "delay",
          "must be in the future, not before startTime and not after endTime");
    } else if (form.has("endTime")) {
      form.reject("endTime", "leaves no instant in the future");
    } else {
      form.reject(schedule.kind(), "never fires in the future");
    }
  }
}
