package dev.carillon.worker;

import dev.carillon.config.CommonSettings;
import dev.carillon.ops.Environment;
import java.time.Duration;

/**
 * What can be set for workers.
 *
 * @param concurrency how many sub-tasks run at a time
 * @param concurrencyPerTask how many of them may be of one task
 * @param prefetch how many notices a worker holds or runs at a time
 * @param lease how long a claim holds unless it is extended
 * @param sweepInterval pause between two looks for what has gone wrong
 * @param retention how long finished sub-tasks are kept after they left their task's window
 * @param shutdownGrace how long running sub-tasks may go on when the worker is told to stop
 */
public record WorkerSettings(
    int concurrency,
    int concurrencyPerTask,
    int prefetch,
    Duration lease,
    Duration sweepInterval,
    Duration retention,
    Duration shutdownGrace) {

  /** Reads them; {@link Environment#check} then tells whether they can be used. */
  public static WorkerSettings read(Environment environment, CommonSettings common) {
    int concurrency =
        environment.wholeNumber(
            "WORKER_CONCURRENCY", 64, 1, 10_000, "How many sub-tasks a worker runs at a time");
    WorkerSettings settings =
        new WorkerSettings(
            concurrency,
            environment.wholeNumber(
                "WORKER_CONCURRENCY_PER_TASK",
                Math.max(1, concurrency / 2),
                1,
                10_000,
                "How many sub-tasks of one task, if they may overlap, a worker runs at a time; by"
                    + " default half of `WORKER_CONCURRENCY`"),
            environment.wholeNumber(
                "WORKER_PREFETCH",
                1_000,
                1,
                65_535,
                "How many messages of each priority a worker holds or runs at a time; not less than"
                    + " `WORKER_CONCURRENCY`"),
            environment.duration(
                "LEASE",
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                Duration.ofHours(1),
                "How long a claim holds without a sign of life; then another worker takes over"),
            environment.duration(
                "SWEEP_INTERVAL",
                Duration.ofSeconds(1),
                Duration.ofMillis(50),
                Duration.ofMinutes(5),
                "Pause between two looks for what has gone wrong or come within the horizon"),
            common.retention(),
            common.shutdownGrace());
    if (settings.prefetch < settings.concurrency) {
      environment.reject(
          "WORKER_PREFETCH",
          "must not be less than WORKER_CONCURRENCY, which is " + settings.concurrency);
    }
    return settings;
  }
}
