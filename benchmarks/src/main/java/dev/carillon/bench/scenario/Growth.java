package dev.carillon.bench.scenario;

import dev.carillon.bench.measure.Figures;
import dev.carillon.bench.measure.Figures.Unit;
import dev.carillon.bench.measure.Starts;
import dev.carillon.bench.scenario.Trial.Outcome;
import dev.carillon.bench.subject.CarillonSubject;
import dev.carillon.bench.subject.Jobs;
import dev.carillon.bench.subject.Mode;
import dev.carillon.bench.subject.Subject;
import dev.carillon.bench.subject.SubjectSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;

/** How cost grows with what is pending, and throughput with workers. */
public final class Growth {

  private static final String PENDING = "With jobs pending for days ahead, and 50 a second due";
  private static final String WORKERS = "With more workers, all due at once";
  private static final int RATE = 50;
  private static final long SECOND = 1_000_000_000;

  private final Size size;
  private final SubjectSettings settings;
  private final Figures figures;

  public Growth(Size size, SubjectSettings settings, Figures figures) {
    this.size = size;
    this.settings = settings;
    this.figures = figures;
  }

  /** Measures each number of pending jobs, several times each, while they become more and more. */
  public void measurePending(Mode mode) {
    try (CarillonSubject carillon = CarillonSubject.start(settings, mode, 1)) {
      Trial trial = new Trial(carillon);
      int there = 0;
      for (int pending : size.pending()) {
        fill(carillon, trial, "pending-" + pending, pending - there);
        there = pending;
        for (int round = 0; round < size.rounds(); round++) {
          measure(carillon, trial, mode, pending);
        }
      }
    }
  }

  /** Due from three days on, one a second. */
  private static void fill(Subject subject, Trial trial, String name, int count) {
    Instant first = Instant.ofEpochMilli(System.currentTimeMillis()).plus(Duration.ofDays(3));
    trial.quickest().create(subject, new Jobs(name, count, first, SECOND));
  }

  private void measure(CarillonSubject carillon, Trial trial, Mode mode, int pending) {
    String row = "%s, %,d pending".formatted(title(mode), pending);
    Line line = new Line(figures, PENDING, row, carillon.store());
    line.add("workers ready after, s", Unit.SECONDS, carillon.restartWorkers());
    trial.run("warm", 100, SECOND / RATE);

    Map<String, Double> before = carillon.processes().cpuMillis();
    long begin = System.nanoTime();
    Outcome outcome = trial.run("rate", (int) (RATE * size.loadTime().toSeconds()), SECOND / RATE);
    double seconds = (System.nanoTime() - begin) / 1e9;
    Map<String, Double> after = carillon.processes().cpuMillis();

    outcome.starts().ifPresent(starts -> lateness(line, starts));
    line.add("lost", Unit.COUNT, outcome.lost());
    after.forEach(
        (role, cpu) ->
            line.add(
                "CPU of " + role + ", % of one",
                Unit.PERCENT,
                (cpu - before.getOrDefault(role, cpu)) / seconds / 10));
    carillon
        .processes()
        .residentMebibytes()
        .forEach((role, memory) -> line.add("memory of " + role + ", MiB", Unit.MEBIBYTES, memory));
  }

  private static void lateness(Line line, Starts.Summary starts) {
    line.add("p50, ms", Unit.MILLIS, starts.lateness(50));
    line.add("p99", Unit.MILLIS, starts.lateness(99));
    line.add("max", Unit.MILLIS, starts.lateness(100));
    line.add("early", Unit.COUNT, starts.early());
  }

  /** Measures each number of workers once. */
  public void measureWorkers(Mode mode) {
    for (int workers : size.workers()) {
      try (CarillonSubject carillon = CarillonSubject.start(settings, mode, workers)) {
        Trial trial = new Trial(carillon);
        trial.run("warm-up", Math.min(size.warmUp(), carillon.mostWaiting()), 0);
        Outcome outcome = trial.run("all", Math.min(size.jobs(), carillon.mostWaiting()), 0);
        Line line = new Line(figures, WORKERS, title(mode) + ", " + workers, carillon.store());
        line.add("jobs", Unit.COUNT, outcome.jobs().count());
        outcome.starts().ifPresent(starts -> line.add("runs/s", Unit.COUNT, starts.throughput()));
        line.add("lost", Unit.COUNT, outcome.lost());
        line.add("CPU a run, ms", Unit.CPU_MILLIS, outcome.runCpuMillisPerJob());
      }
    }
  }

  private static String title(Mode mode) {
    return "Carillon, " + mode.name().toLowerCase(Locale.ROOT);
  }
}
