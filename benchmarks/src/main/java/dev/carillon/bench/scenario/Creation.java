package dev.carillon.bench.scenario;

import dev.carillon.bench.subject.Jobs;
import dev.carillon.bench.subject.Subject;
import java.util.OptionalDouble;

/** How jobs are created. */
enum Creation {
  ONE_THREAD,
  EIGHT_THREADS,
  BATCH;

  /** Returns the seconds that it took, or empty if the subject cannot. */
  OptionalDouble create(Subject subject, Jobs jobs) {
    return switch (this) {
      case ONE_THREAD -> OptionalDouble.of(subject.create(jobs, 1));
      case EIGHT_THREADS -> OptionalDouble.of(subject.create(jobs, 8));
      case BATCH -> subject.createBatch(jobs);
    };
  }
}
