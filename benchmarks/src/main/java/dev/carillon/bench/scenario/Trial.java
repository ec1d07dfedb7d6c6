package dev.carillon.bench.scenario;

import dev.carillon.bench.measure.Starts;
import dev.carillon.bench.process.Wait;
import dev.carillon.bench.subject.Jobs;
import dev.carillon.bench.subject.Subject;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Has one subject create jobs and run them when they are due, over and over. Jobs are created
 * before the first of them is due, so that creating does not disturb running; how long before, is
 * learned from how fast the subject was so far. Not thread-safe.
 */
final class Trial {

  /** Between the last creation and the first due time, for the subject to come to rest. */
  private static final Duration REST = Duration.ofSeconds(2);

  private static final double SPARE = 1.6;
  private static final Duration BEFORE_DUE = Duration.ofMillis(100);

  /** After the last start: outcomes are recorded, messages acknowledged, queues deleted. */
  private static final Duration AFTERWARDS = Duration.ofMillis(500);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Slower than this is not waited for. */
  private static final int SLOWEST_RUNS_A_SECOND = 40;

  private final Subject subject;
  private final Map<Creation, Double> pace = new EnumMap<>(Creation.class);
  private final boolean hasBatch;
  private int number;

  /**
   * What came of some jobs.
   *
   * @param jobs how many there were
   * @param createSeconds how long their creation took
   * @param createCpuMillis what it took of the CPUs, over all processes of the subject
   * @param wasReadyInTime whether all were created before the first of them was due
   * @param starts what has started of them
   * @param runCpuMillis what they took of the CPUs, by kind of process, from shortly before the
   *     first was due, or from the end of the creation if some have started earlier, until shortly
   *     after the last has started
   */
  record Outcome(
      Jobs jobs,
      double createSeconds,
      double createCpuMillis,
      boolean wasReadyInTime,
      Optional<Starts.Summary> starts,
      Map<String, Double> runCpuMillis) {

    long lost() {
      return jobs.count() - starts.map(Starts.Summary::distinct).orElse(0L);
    }

    double createsPerSecond() {
      return jobs.count() / createSeconds;
    }

    double createCpuMillisPerJob() {
      return createCpuMillis / jobs.count();
    }

    double runCpuMillisPerJob() {
      return runCpuMillisPerJobByRole().values().stream().mapToDouble(millis -> millis).sum();
    }

    Map<String, Double> runCpuMillisPerJobByRole() {
      Map<String, Double> perJob = new LinkedHashMap<>();
      runCpuMillis.forEach(
          (role, millis) -> perJob.put(role, millis / Math.max(1, jobs.count() - lost())));
      return perJob;
    }
  }

  /**
   * Warms the subject up, and learns what it can and how fast it is.
   *
   * @throws IllegalStateException if it runs nothing
   */
  Trial(Subject subject) {
    this.subject = subject;
    pace.put(Creation.ONE_THREAD, 20.0);
    pace.put(Creation.EIGHT_THREADS, 20.0);
    pace.put(Creation.BATCH, 100.0);
    boolean batch = run("warm-up", Creation.BATCH, 400, 2_000_000).isPresent();
    Optional<Outcome> first = run("warm-up", Creation.ONE_THREAD, 30, 10_000_000);
    if (first.flatMap(Outcome::starts).isEmpty()) {
      throw new IllegalStateException("none of the first jobs has started");
    }
    run("warm-up", Creation.EIGHT_THREADS, 200, 5_000_000);
    this.hasBatch = batch;
  }

  /** The quickest way that the subject has. */
  Creation quickest() {
    return hasBatch ? Creation.BATCH : Creation.EIGHT_THREADS;
  }

  /** As {@link #run} in the quickest way. */
  Outcome run(String name, int count, long spacingNanos) {
    return run(name, quickest(), count, spacingNanos).orElseThrow();
  }

  /** Creates jobs, waits until they have run, and says what came of it; empty if it cannot. */
  Optional<Outcome> run(String name, Creation how, int count, long spacingNanos) {
    long millisToCreate = (long) (SPARE * 1000 * count / pace.get(how));
    Instant firstDue =
        Instant.ofEpochMilli(System.currentTimeMillis() + millisToCreate + REST.toMillis());
    Jobs jobs = new Jobs(name + "-" + number++, count, firstDue, spacingNanos);

    double cpuBefore = total(subject.processes().cpuMillis());
    OptionalDouble seconds = how.create(subject, jobs);
    if (seconds.isEmpty()) {
      return Optional.empty();
    }
    Map<String, Double> cpuCreated = subject.processes().cpuMillis();
    pace.put(how, count / seconds.getAsDouble());
    boolean inTime = Instant.now().isBefore(firstDue.minus(BEFORE_DUE));

    Wait.until(firstDue.minus(BEFORE_DUE));
    boolean hasBegun = subject.starts().distinct(jobs.batch()) > 0; // early, or not in time
    Map<String, Double> cpuDue = hasBegun ? cpuCreated : subject.processes().cpuMillis();
    awaitStarts(jobs);
    Wait.until(Instant.now().plus(AFTERWARDS));
    return Optional.of(
        new Outcome(
            jobs,
            seconds.getAsDouble(),
            total(cpuCreated) - cpuBefore,
            inTime,
            subject.starts().summary(jobs.batch()),
            since(cpuDue, subject.processes().cpuMillis())));
  }

  private static double total(Map<String, Double> cpuMillis) {
    return cpuMillis.values().stream().mapToDouble(millis -> millis).sum();
  }

  private static Map<String, Double> since(Map<String, Double> before, Map<String, Double> now) {
    Map<String, Double> used = new LinkedHashMap<>();
    now.forEach((role, millis) -> used.put(role, millis - before.getOrDefault(role, 0.0)));
    return used;
  }

  private void awaitStarts(Jobs jobs) {
    Duration limit =
        Duration.between(Instant.now(), jobs.lastDue())
            .plus(PATIENCE)
            .plusSeconds(jobs.count() / SLOWEST_RUNS_A_SECOND);
    Wait.until(
        limit,
        () -> {
          subject.requireAlive();
          return subject.starts().distinct(jobs.batch()) >= jobs.count();
        });
  }
}
