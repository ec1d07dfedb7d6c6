package dev.carillon.schedule;

import dev.carillon.schedule.RecurrenceRule.ByPart;
import dev.carillon.schedule.RecurrenceRule.Frequency;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The local times of a recurrence rule whose periods are hours, minutes or seconds, on a clock that
 * is never changed. First the days are found on which calendar and interval agree; within a day it
 * goes from one time that the BY parts allow, or one period that the interval allows, to the next,
 * whichever is later.
 */
final class SubDailyRecurrence implements LocalSeries {

  private final RecurrenceRule rule;
  private final RecurrenceDays condition;

  /** What the BY parts allow, whatever the interval. */
  private final CalendarDays days;

  private final TimesOfDay times;
  private final LocalDateTime start;
  private final ChronoUnit unit;

  /** The beginning of the period in which the start lies. */
  private final LocalDateTime firstPeriod;

  private final boolean positionExists;

  /** Null until it is first needed: most rules fire on every day that the calendar allows. */
  private volatile IntervalDays intervalDays;

  SubDailyRecurrence(RecurrenceRule rule, LocalDateTime start, MonthEnd monthEnd) {
    this(rule, start, new RecurrenceDays(rule, start.toLocalDate(), monthEnd), Optional.empty());
  }

  private SubDailyRecurrence(
      RecurrenceRule rule,
      LocalDateTime start,
      RecurrenceDays condition,
      Optional<CalendarDays> sameDays) {
    this.rule = rule;
    this.condition = condition;
    this.days = sameDays.orElseGet(() -> new CalendarDays(condition));
    this.start = start;
    Frequency frequency = rule.frequency();
    this.times =
        new TimesOfDay(
            rule.bits(ByPart.BYHOUR, TimesOfDay.EVERY_HOUR),
            rule.bits(
                ByPart.BYMINUTE,
                frequency == Frequency.HOURLY ? 1L << start.getMinute() : TimesOfDay.EVERY_MINUTE),
            rule.bits(
                ByPart.BYSECOND,
                frequency == Frequency.SECONDLY
                    ? TimesOfDay.EVERY_SECOND
                    : 1L << start.getSecond()));
    this.unit = frequency.unit;
    this.firstPeriod = start.truncatedTo(unit);
    this.positionExists = positionExists();
  }

  /** The same rule on a clock on which the start is shown as another time. */
  SubDailyRecurrence startingAt(LocalDateTime otherStart) {
    return otherStart.equals(start)
        ? this
        : new SubDailyRecurrence(rule, otherStart, condition, Optional.of(days));
  }

  /** The same rule, but only on days that a further condition on the calendar accepts. */
  SubDailyRecurrence onDays(Predicate<LocalDate> further) {
    CalendarDays fewer = new CalendarDays(condition.and(further));
    return new SubDailyRecurrence(rule, start, condition, Optional.of(fewer));
  }

  /** Whether BYSETPOS, if it was given, names a place that a period can have. */
  private boolean positionExists() {
    int size = timesOf(firstPeriod.toLocalTime()).size();
    return !rule.has(ByPart.BYSETPOS)
        || rule.values(ByPart.BYSETPOS).stream().anyMatch(position -> Math.abs(position) <= size);
  }

  @Override
  public Optional<LocalDateTime> ceiling(LocalDateTime from) {
    return ceiling(from, LocalDateTime.MAX);
  }

  /** The first time that is not before {@code from}, if it is before {@code end}. */
  Optional<LocalDateTime> ceiling(LocalDateTime from, LocalDateTime end) {
    LocalDateTime earliest = from.isBefore(start) ? start : from;
    Optional<LocalDate> day =
        positionExists ? days.ceiling(earliest.toLocalDate()) : Optional.empty();
    while (day.isPresent() && day.get().atStartOfDay().isBefore(end)) {
      boolean isFirst = day.get().equals(earliest.toLocalDate());
      Optional<LocalDateTime> found =
          firstOn(day.get(), isFirst ? earliest.toLocalTime() : LocalTime.MIN);
      if (found.isPresent()) {
        return found.filter(time -> time.isBefore(end));
      }
      day = intervalDays().ceiling(day.get().plusDays(1));
    }
    return Optional.empty();
  }

  private IntervalDays intervalDays() {
    IntervalDays known = intervalDays;
    if (known == null) {
      LocalTime first = firstPeriod.toLocalTime();
      known =
          new IntervalDays(
              days,
              rule.interval(),
              Duration.ofDays(1).dividedBy(unit.getDuration()),
              firstPeriod.toLocalDate(),
              unitOf(first),
              wantedUnits());
      intervalDays = known;
    }
    return known;
  }

  private BitSet wantedUnits() {
    BitSet wanted = new BitSet();
    IntStream.range(0, times.size()).forEach(rank -> wanted.set(unitOf(times.get(rank))));
    return wanted;
  }

  private int unitOf(LocalTime time) {
    return (int) unit.between(LocalTime.MIN, time);
  }

  private Optional<LocalDateTime> firstOn(LocalDate day, LocalTime from) {
    Optional<LocalTime> time = times.ceiling(from);
    while (time.isPresent()) {
      LocalDateTime candidate = day.atTime(time.get());
      long period = unit.between(firstPeriod, candidate);
      long late = period % rule.interval();
      if (late == 0) {
        Optional<LocalTime> found = rule.has(ByPart.BYSETPOS) ? firstSelected(time.get()) : time;
        if (found.isPresent()) {
          return found.map(day::atTime);
        }
      }
      LocalDateTime next = firstPeriod.plus(period - late + rule.interval(), unit);
      time = next.toLocalDate().equals(day) ? times.ceiling(next.toLocalTime()) : Optional.empty();
    }
    return Optional.empty();
  }

  /** The first time from {@code from} on that BYSETPOS selects from all those of its period. */
  private Optional<LocalTime> firstSelected(LocalTime from) {
    TimesOfDay all = timesOf(from);
    return rule.values(ByPart.BYSETPOS).stream()
        .map(position -> position > 0 ? position - 1 : all.size() + position)
        .filter(rank -> rank >= 0 && rank < all.size())
        .map(all::get)
        .filter(selected -> !selected.isBefore(from))
        .min(LocalTime::compareTo);
  }

  /** The times that the BY parts allow in the period in which the given one lies. */
  private TimesOfDay timesOf(LocalTime time) {
    return new TimesOfDay(
        1L << time.getHour(),
        unit == ChronoUnit.HOURS ? times.minutes() : 1L << time.getMinute(),
        unit == ChronoUnit.SECONDS ? 1L << time.getSecond() : times.seconds());
  }

  boolean firesEveryHour() {
    return times.everyHour();
  }

  @Override
  public String reading() {
    return RecurrenceReading.of(rule, condition, RecurrenceReading.timesOf(rule));
  }

  @Override
  public List<String> remarks() {
    return List.of();
  }

  @Override
  public List<Absence> absences(LocalDateTime from, LocalDateTime until, int limit) {
    return List.of();
  }
}
