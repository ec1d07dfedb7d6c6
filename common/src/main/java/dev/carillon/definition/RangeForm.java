package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.schedule.Schedule;
import dev.carillon.schedule.ScheduleReader;
import dev.carillon.task.Backfill;
import java.util.Map;
import java.util.Optional;

/** The schedule of a range that is run by another one than its task, as a form to be stored. */
public final class RangeForm {

  private RangeForm() {}

  /** Empty when the range is run by the schedule of its task. */
  public static Optional<Map<String, Object>> toStored(Backfill range) {
    return range.schedule().map(Schedule::toForm);
  }

  /**
   * The range with the schedule that was stored with it.
   *
   * @throws IllegalArgumentException when the form is not that of a schedule
   */
  public static Backfill readStored(Backfill range, Map<?, ?> stored) {
    Form form = Form.of(stored);
    Optional<Schedule> schedule = ScheduleReader.readStored(form);
    form.rejectUnknown();
    if (!form.problems().isEmpty()) {
      throw new IllegalArgumentException("the schedule of a range: " + form.problems());
    }
    return range.keeping(schedule.orElseThrow());
  }
}
