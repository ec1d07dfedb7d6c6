package dev.carillon.schedule;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Optional;

/** All the given times on all the given days. */
record DatedTimes(CalendarDays days, TimesOfDay times) {

  /** The first one that is not before the given time; empty when there is none up to year 9999. */
  Optional<LocalDateTime> ceiling(LocalDateTime from) {
    LocalDate date = from.toLocalDate();
    if (days.contains(date)) {
      Optional<LocalTime> time = times.ceiling(from.toLocalTime());
      if (time.isPresent()) {
        return time.map(date::atTime);
      }
    }
    return days.ceiling(date.plusDays(1)).map(day -> day.atTime(times.first()));
  }

  /** How many there are from {@code from}, included, to {@code end}, excluded. */
  long count(LocalDateTime from, LocalDateTime end) {
    return from.isBefore(end)
        ? days.count(from.toLocalDate(), end.toLocalDate()) * times.size()
            - countBefore(from)
            + countBefore(end)
        : 0;
  }

  /** How many of the same day come before. */
  private long countBefore(LocalDateTime time) {
    return days.contains(time.toLocalDate()) ? times.countBefore(time.toLocalTime()) : 0;
  }
}
