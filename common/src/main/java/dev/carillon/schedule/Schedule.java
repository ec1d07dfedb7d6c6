package dev.carillon.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

public interface Schedule {
  Optional<Instant> next(Instant after);

  OptionalLong remaining(Instant after);

  OptionalLong maxRuns();

  Duration jitterFor(String key);

  Map<String, Object> toForm();
}
