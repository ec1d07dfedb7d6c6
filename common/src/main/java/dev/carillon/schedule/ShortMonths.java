package dev.carillon.schedule;

import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Says what one might expect every month but some months do not have. */
final class ShortMonths {

  /** Four weeks: it has nothing that any month may lack. */
  private static final YearMonth SHORTEST = YearMonth.of(2027, 2);

  private final Predicate<YearMonth> applies;
  private final List<DayRule> expected;

  /** Whether the month's last day stands in for a numbered one. */
  private final MonthEnd monthEnd;

  /**
   * @param applies which months count at all
   * @param expected the days expected in each of them
   */
  ShortMonths(Predicate<YearMonth> applies, List<DayRule> expected, MonthEnd monthEnd) {
    this.applies = applies;
    this.expected = List.copyOf(expected);
    this.monthEnd = monthEnd;
  }

  /**
   * What is missing from {@code from} to {@code until}, both included.
   *
   * @param time the time of day at which one would expect it
   */
  List<LocalSeries.Absence> absences(
      LocalTime time, LocalDateTime from, LocalDateTime until, int limit) {
    List<LocalSeries.Absence> absences = new ArrayList<>();
    YearMonth last = YearMonth.from(until);
    for (YearMonth month = YearMonth.from(from);
        !month.isAfter(last) && absences.size() < limit;
        month = month.plusMonths(1)) {
      if (applies.test(month)) {
        for (DayRule.Missing missing : missingIn(month)) {
          LocalDateTime insteadOf = missing.insteadOf().atTime(time);
          if (!insteadOf.isBefore(from) && !insteadOf.isAfter(until)) {
            absences.add(new LocalSeries.Absence(insteadOf, missing.reason()));
          }
        }
      }
    }
    return absences;
  }

  private List<DayRule.Missing> missingIn(YearMonth month) {
    return expected.stream()
        .filter(rule -> !isReplaced(rule))
        .flatMap(rule -> rule.missing(month).stream())
        .toList();
  }

  private boolean isReplaced(DayRule rule) {
    return monthEnd == MonthEnd.LAST && rule instanceof DayRule.Numbered;
  }

  List<String> remarks() {
    return expected.stream()
        .filter(rule -> rule.missing(SHORTEST).isPresent())
        .map(rule -> remark(isReplaced(rule) ? MonthEnd.LAST : MonthEnd.SKIP))
        .distinct()
        .toList();
  }

  static String remark(MonthEnd monthEnd) {
    return monthEnd == MonthEnd.LAST
        ? "Where there is no such day, the month's last day takes its place."
        : "Where there is no such day, it does not fire.";
  }
}
