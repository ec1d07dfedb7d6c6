package dev.carillon.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.temporal.TemporalAdjusters;
import java.util.Optional;

/** A rule that picks at most one day of a month, such as {@code L}, {@code 15W}, {@code FRI#5}. */
sealed interface DayRule {

  int FIRST_DAY_NOT_IN_ALL_MONTHS = 29;
  int WEEK_NOT_IN_ALL_MONTHS = 5;

  /** The day that is picked; empty when the month has none. */
  Optional<LocalDate> pick(YearMonth month);

  /** The rule in words, to follow "on". */
  String reading();

  /** What a month lacks; to be asked only when it has no such day. */
  Missing lack(YearMonth month);

  /** What a month lacks if it has no such day. */
  default Optional<Missing> missing(YearMonth month) {
    return pick(month).isPresent() ? Optional.empty() : Optional.of(lack(month));
  }

  default boolean matches(LocalDate date) {
    return pick(YearMonth.from(date)).filter(date::equals).isPresent();
  }

  /**
   * A day that a month does not have.
   *
   * @param insteadOf the nearest day that it has
   * @param reason why there is none, in words
   */
  record Missing(LocalDate insteadOf, String reason) {}

  /** The last day of the month, or so many days before it. */
  record FromEnd(int daysBefore) implements DayRule {

    @Override
    public Optional<LocalDate> pick(YearMonth month) {
      int day = month.lengthOfMonth() - daysBefore;
      return day < 1 ? Optional.empty() : Optional.of(month.atDay(day));
    }

    @Override
    public String reading() {
      return daysBefore == 0
          ? "the last day of the month"
          : English.count(daysBefore, "day") + " before the last day of the month";
    }

    @Override
    public Missing lack(YearMonth month) {
      return new Missing(
          month.atDay(1), "this month is shorter than " + (daysBefore + 1) + " days");
    }
  }

  /** The weekday (Monday to Friday) of the same month that is nearest to what a rule picks. */
  record NearestWeekday(DayRule to) implements DayRule {

    @Override
    public Optional<LocalDate> pick(YearMonth month) {
      return to.pick(month).map(NearestWeekday::nearest);
    }

    private static LocalDate nearest(LocalDate date) {
      LocalDate nearest =
          switch (date.getDayOfWeek()) {
            case SATURDAY -> date.minusDays(1);
            case SUNDAY -> date.plusDays(1);
            default -> date;
          };
      if (nearest.getMonth() == date.getMonth()) {
        return nearest;
      }
      return nearest.isBefore(date) ? date.plusDays(2) : date.minusDays(2);
    }

    @Override
    public String reading() {
      return "the weekday nearest to " + to.reading();
    }

    @Override
    public Missing lack(YearMonth month) {
      return to.lack(month);
    }
  }

  /** A day of the month by its number. */
  record Numbered(int day) implements DayRule {

    @Override
    public Optional<LocalDate> pick(YearMonth month) {
      return month.isValidDay(day) ? Optional.of(month.atDay(day)) : Optional.empty();
    }

    @Override
    public String reading() {
      return "the " + English.ordinal(day);
    }

    @Override
    public Missing lack(YearMonth month) {
      return new Missing(month.atEndOfMonth(), English.noSuchDay(day));
    }
  }

  /** The nth given day of the week of the month, or the last one when {@code n} is {@code LAST}. */
  record NthWeekday(DayOfWeek day, int n) implements DayRule {

    static final int LAST = -1;

    @Override
    public Optional<LocalDate> pick(YearMonth month) {
      LocalDate date = month.atDay(1).with(TemporalAdjusters.dayOfWeekInMonth(n, day));
      return YearMonth.from(date).equals(month) ? Optional.of(date) : Optional.empty();
    }

    @Override
    public String reading() {
      String which = n == LAST ? "last" : English.ordinalWord(n);
      return "the " + which + " " + English.name(day) + " of the month";
    }

    @Override
    public Missing lack(YearMonth month) {
      return new Missing(
          month.atDay(1).with(TemporalAdjusters.lastInMonth(day)),
          "no " + English.ordinalWord(n) + " " + English.name(day) + " in this month");
    }
  }
}
