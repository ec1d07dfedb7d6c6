package dev.carillon.schedule;

import dev.carillon.schedule.RecurrenceRule.ByPart;
import dev.carillon.schedule.RecurrenceRule.Frequency;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The local times of a recurrence rule whose periods are days, weeks, months or years. */
final class CalendarRecurrence implements LocalSeries {

  private final RecurrenceRule rule;
  private final LocalDateTime start;
  private final RecurrenceDays condition;
  private final CalendarDays days;
  private final TimesOfDay times;
  private final MonthEnd monthEnd;

  CalendarRecurrence(RecurrenceRule rule, LocalDateTime start, MonthEnd monthEnd) {
    this.rule = rule;
    this.start = start;
    this.monthEnd = monthEnd;
    this.condition = new RecurrenceDays(rule, start.toLocalDate(), monthEnd);
    this.times =
        new TimesOfDay(
            rule.bits(ByPart.BYHOUR, 1L << start.getHour()),
            rule.bits(ByPart.BYMINUTE, 1L << start.getMinute()),
            rule.bits(ByPart.BYSECOND, 1L << start.getSecond()));
    boolean possible = positionExists() && intervalMeetsWeekdays();
    this.days = new CalendarDays(possible ? condition : date -> false);
  }

  /** Every 7 days from a Monday never leads to a Tuesday. */
  private boolean intervalMeetsWeekdays() {
    boolean alwaysSameWeekday =
        rule.frequency() == Frequency.DAILY && rule.interval() % DayOfWeek.values().length == 0;
    return !alwaysSameWeekday
        || rule.weekdays().isEmpty()
        || rule.weekdays().stream().anyMatch(weekday -> weekday.day() == start.getDayOfWeek());
  }

  /** Whether BYSETPOS, if it was given, names a place that a period can have. */
  private boolean positionExists() {
    int mostDays =
        switch (rule.frequency()) {
          case DAILY -> 1;
          case WEEKLY -> condition.weekdays().size();
          case MONTHLY -> 31;
          default -> 366;
        };
    int size = mostDays * times.size();
    return !rule.has(ByPart.BYSETPOS)
        || rule.values(ByPart.BYSETPOS).stream().anyMatch(position -> Math.abs(position) <= size);
  }

  @Override
  public Optional<LocalDateTime> ceiling(LocalDateTime earliest) {
    LocalDateTime from = earliest.isBefore(start) ? start : earliest;
    long endOfSearch = periodOf(from.toLocalDate()) + periodsOfCalendarCycle() * rule.interval();
    Optional<LocalDate> day = days.ceiling(from.toLocalDate());
    while (day.isPresent()) {
      long period = periodOf(day.get());
      if (period > endOfSearch) {
        return Optional.empty();
      }
      long late = period % rule.interval();
      LocalDate resume;
      if (late != 0) {
        resume = beginningOf(period - late + rule.interval());
      } else {
        boolean byPosition = rule.has(ByPart.BYSETPOS);
        Optional<LocalDateTime> found =
            byPosition ? firstSelected(period, from) : firstOn(day.get(), from);
        if (found.isPresent()) {
          return found;
        }
        resume = byPosition ? beginningOf(period + rule.interval()) : day.get().plusDays(1);
      }
      day = days.ceiling(resume);
    }
    return Optional.empty();
  }

  @Override
  public OptionalLong count(LocalDateTime from, LocalDateTime end) {
    if (rule.has(ByPart.BYSETPOS) || rule.interval() > 1) {
      return OptionalLong.empty();
    }
    LocalDateTime first = from.isBefore(start) ? start : from;
    return OptionalLong.of(new DatedTimes(days, times).count(first, end));
  }

  private Optional<LocalDateTime> firstOn(LocalDate day, LocalDateTime from) {
    LocalTime earliest = day.equals(from.toLocalDate()) ? from.toLocalTime() : LocalTime.MIN;
    return times.ceiling(earliest).map(day::atTime);
  }

  /** The first time from {@code from} on that BYSETPOS selects from all those of a period. */
  private Optional<LocalDateTime> firstSelected(long period, LocalDateTime from) {
    List<LocalDate> daysOfPeriod = daysOf(period);
    long size = (long) daysOfPeriod.size() * times.size();
    return rule.values(ByPart.BYSETPOS).stream()
        .map(position -> position > 0 ? position - 1 : size + position)
        .filter(rank -> rank >= 0 && rank < size)
        .map(
            rank ->
                daysOfPeriod
                    .get((int) (rank / times.size()))
                    .atTime(times.get((int) (rank % times.size()))))
        .filter(time -> !time.isBefore(from))
        .min(LocalDateTime::compareTo);
  }

  private List<LocalDate> daysOf(long period) {
    List<LocalDate> list = new ArrayList<>();
    LocalDate end = beginningOf(period + 1);
    Optional<LocalDate> day = days.ceiling(beginningOf(period));
    while (day.isPresent() && day.get().isBefore(end)) {
      list.add(day.get());
      day = days.ceiling(day.get().plusDays(1));
    }
    return list;
  }

  /** Periods are numbered from the start's, which is 0. */
  private long periodOf(LocalDate date) {
    LocalDate first = start.toLocalDate();
    return switch (rule.frequency()) {
      case YEARLY -> date.getYear() - first.getYear();
      case MONTHLY -> ChronoUnit.MONTHS.between(YearMonth.from(first), YearMonth.from(date));
      case WEEKLY -> Math.floorDiv(date.toEpochDay() - weekOf(first).toEpochDay(), 7L);
      default -> date.toEpochDay() - first.toEpochDay();
    };
  }

  private LocalDate beginningOf(long period) {
    LocalDate first = start.toLocalDate();
    return switch (rule.frequency()) {
      case YEARLY ->
          LocalDate.ofYearDay(
              (int) Math.min(first.getYear() + period, CalendarDays.LAST_YEAR + 1), 1);
      case MONTHLY -> first.withDayOfMonth(1).plusMonths(period);
      case WEEKLY -> weekOf(first).plusWeeks(period);
      default -> first.plusDays(period);
    };
  }

  /**
   * The calendar repeats itself after 400 years. Whatever the interval, as many of its periods come
   * by all that there is to find.
   */
  private long periodsOfCalendarCycle() {
    return switch (rule.frequency()) {
      case YEARLY -> CalendarDays.CYCLE;
      case MONTHLY -> CalendarDays.CYCLE * 12;
      case WEEKLY -> CalendarDays.DAYS_OF_CYCLE / 7;
      default -> CalendarDays.DAYS_OF_CYCLE;
    };
  }

  private LocalDate weekOf(LocalDate date) {
    return date.with(TemporalAdjusters.previousOrSame(rule.weekStart()));
  }

  boolean firesEveryHour() {
    return times.everyHour();
  }

  @Override
  public String reading() {
    return RecurrenceReading.of(rule, condition, TimesReading.of(times));
  }

  @Override
  public List<String> remarks() {
    return shortMonths().remarks();
  }

  @Override
  public List<Absence> absences(LocalDateTime from, LocalDateTime until, int limit) {
    LocalDateTime first = from.isBefore(start) ? start : from;
    return shortMonths().absences(times.first(), first, until, limit);
  }

  private ShortMonths shortMonths() {
    return new ShortMonths(this::applies, expected(), monthEnd);
  }

  private boolean applies(YearMonth month) {
    return condition.isInMonth(month.getMonthValue())
        && periodOf(month.atEndOfMonth()) % rule.interval() == 0;
  }

  /** The days that some months lack, where the rule is plain enough to expect one every month. */
  private List<DayRule> expected() {
    List<DayRule> expected = new ArrayList<>();
    boolean limitedFurther =
        rule.has(ByPart.BYSETPOS) || rule.has(ByPart.BYWEEKNO) || rule.has(ByPart.BYYEARDAY);
    if (limitedFurther) {
      return expected;
    }
    if (condition.weekdays().isEmpty()) {
      condition.monthDays().stream()
          .filter(day -> day >= DayRule.FIRST_DAY_NOT_IN_ALL_MONTHS)
          .forEach(day -> expected.add(new DayRule.Numbered(day)));
    }
    if (condition.monthDays().isEmpty() && condition.isWithinMonth()) {
      condition.weekdays().stream()
          .filter(weekday -> weekday.n() == DayRule.WEEK_NOT_IN_ALL_MONTHS)
          .forEach(weekday -> expected.add(new DayRule.NthWeekday(weekday.day(), weekday.n())));
    }
    return expected;
  }
}
