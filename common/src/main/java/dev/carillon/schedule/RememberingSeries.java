package dev.carillon.schedule;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A series that does not look twice for what it has just found: what comes first from some time on
 * comes first from every time in between as well. Thread-safe.
 */
final class RememberingSeries implements LocalSeries {

  private record Found(LocalDateTime from, Optional<LocalDateTime> ceiling) {

    boolean answers(LocalDateTime other) {
      return !other.isBefore(from) && (ceiling.isEmpty() || !other.isAfter(ceiling.get()));
    }
  }

  private final LocalSeries series;
  private volatile Found latest;

  RememberingSeries(LocalSeries series) {
    this.series = series;
  }

  @Override
  public Optional<LocalDateTime> ceiling(LocalDateTime from) {
    Found known = latest;
    if (known == null || !known.answers(from)) {
      known = new Found(from, series.ceiling(from));
      latest = known;
    }
    return known.ceiling();
  }

  @Override
  public OptionalLong count(LocalDateTime from, LocalDateTime end) {
    return series.count(from, end);
  }

  @Override
  public String reading() {
    return series.reading();
  }

  @Override
  public List<String> remarks() {
    return series.remarks();
  }

  @Override
  public List<Absence> absences(LocalDateTime from, LocalDateTime until, int limit) {
    return series.absences(from, until, limit);
  }
}
