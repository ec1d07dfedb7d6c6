package dev.carillon.schedule;

import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Finds what one might expect every month but some months do not have. */
final class ShortMonths {

  private final Predicate<YearMonth> applies;
  private final List<DayRule> expected;
  private final LocalTime time;

  /**
   * @param applies which months count at all
   * @param expected the days expected in each of them
   * @param time the time of day of the firing that is expected
   */
  ShortMonths(Predicate<YearMonth> applies, List<DayRule> expected, LocalTime time) {
    this.applies = applies;
    this.expected = List.copyOf(expected);
    this.time = time;
  }

  List<LocalSeries.Absence> absences(LocalDateTime from, LocalDateTime until, int limit) {
    List<LocalSeries.Absence> absences = new ArrayList<>();
    YearMonth last = YearMonth.from(until);
    for (YearMonth month = YearMonth.from(from);
        !month.isAfter(last) && absences.size() < limit;
        month = month.plusMonths(1)) {
      if (applies.test(month)) {
        for (DayRule rule : expected) {
          rule.missing(month)
              .map(
                  missing ->
                      new LocalSeries.Absence(missing.insteadOf().atTime(time), missing.reason()))
              .filter(absence -> !absence.insteadOf().isBefore(from))
              .filter(absence -> !absence.insteadOf().isAfter(until))
              .ifPresent(absences::add);
        }
      }
    }
    return absences;
  }
}
