package dev.carillon.schedule;

import java.math.BigInteger;
import java.time.LocalDate;
import java.util.BitSet;
import java.util.Optional;

/**
 * The days, of those that the calendar allows, on which an interval of hours, minutes or seconds
 * that may be longer than a day comes by at a time that is asked for. Where in a day it comes by
 * first decides that, so a day costs one look, whatever there is in it. Immutable; thread-safe.
 */
final class IntervalDays {

  /** When there is no such day for so long, it is worth asking whether there is any at all. */
  private static final int MANY_YEARS = 30;

  private static final LocalDate END = LocalDate.of(CalendarDays.LAST_YEAR + 1, 1, 1);

  private final CalendarDays days;
  private final long interval;
  private final long unitsPerDay;
  private final long firstDay;
  private final long firstUnit;

  /** In which units of the day it may come by first so that it comes by at a time asked for. */
  private final BitSet goodUnits;

  /** Null until it is first asked for. */
  private volatile Boolean exist;

  /**
   * @param interval in units of time, of which a day has {@code unitsPerDay}
   * @param firstDay the day from which the interval is counted
   * @param firstUnit the unit of that day from which it is counted
   * @param wanted the units of a day in which there are times that are asked for
   */
  IntervalDays(
      CalendarDays days,
      long interval,
      long unitsPerDay,
      LocalDate firstDay,
      long firstUnit,
      BitSet wanted) {
    this.days = days;
    this.interval = interval;
    this.unitsPerDay = unitsPerDay;
    this.firstDay = firstDay.toEpochDay();
    this.firstUnit = firstUnit;
    this.goodUnits = interval < unitsPerDay ? modulo(wanted, (int) interval) : wanted;
  }

  private static BitSet modulo(BitSet wanted, int interval) {
    BitSet good = new BitSet(interval);
    wanted.stream().forEach(unit -> good.set(unit % interval));
    return good;
  }

  /** The first such day that is not before the given one; empty when there is none up to 9999. */
  Optional<LocalDate> ceiling(LocalDate from) {
    LocalDate soon = from.plusYears(MANY_YEARS);
    Optional<LocalDate> day = days.first(from, soon, this::daysToWait);
    return day.isPresent() || !exist() ? day : days.first(soon, END, this::daysToWait);
  }

  private long daysToWait(long epochDay) {
    long passed = (epochDay - firstDay) * unitsPerDay;
    long next = Math.floorMod(firstUnit - passed, interval); // counted from the day's beginning
    boolean isGood = next < unitsPerDay && goodUnits.get((int) next);
    return isGood ? 0 : Math.max(1, next / unitsPerDay);
  }

  private boolean exist() {
    Boolean known = exist;
    if (known == null) {
      known = meetSometime();
      exist = known;
    }
    return known;
  }

  /**
   * Whether there is such a day, were there no last year. The calendar repeats itself after so many
   * days, and what the interval does in a day after so many others. Both can be had together just
   * when they agree in what is left after division by what the two numbers of days have in common.
   */
  private boolean meetSometime() {
    long unitsInCommon = gcd(interval, unitsPerDay);
    long daysOfInterval = interval / unitsInCommon;
    int inCommon = (int) gcd(daysOfInterval, CalendarDays.DAYS_OF_CYCLE);
    long inverse =
        BigInteger.valueOf(unitsPerDay / unitsInCommon)
            .modInverse(BigInteger.valueOf(inCommon))
            .longValue();
    BitSet byInterval = new BitSet(inCommon);
    goodUnits.stream()
        .mapToLong(unit -> firstUnit - unit)
        .filter(distance -> distance % unitsInCommon == 0)
        .map(distance -> Math.floorMod(distance / unitsInCommon, inCommon) * inverse % inCommon)
        .forEach(left -> byInterval.set((int) left));
    LocalDate begin = LocalDate.ofEpochDay(firstDay);
    return !byInterval.isEmpty()
        && days.first(
                begin,
                begin.plusDays(CalendarDays.DAYS_OF_CYCLE),
                day -> byInterval.get((int) ((day - firstDay) % inCommon)) ? 0 : 1)
            .isPresent();
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
