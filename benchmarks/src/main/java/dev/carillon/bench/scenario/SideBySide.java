package dev.carillon.bench.scenario;

import dev.carillon.bench.measure.Figures;
import dev.carillon.bench.measure.Figures.Unit;
import dev.carillon.bench.measure.Starts;
import dev.carillon.bench.scenario.Trial.Outcome;
import dev.carillon.bench.subject.Subject;

/** The same jobs for all subjects: created, all due at once, in one second, at a steady rate. */
public final class SideBySide {

  private static final String DRAIN = "All due at once";
  private static final String DRAIN_CPU = "All due at once: CPU a run, ms, by process";
  private static final String BURST = "A burst: all due within the same second";
  private static final String RATE = "At a steady rate";
  private static final long SECOND = 1_000_000_000;

  private final Size size;
  private final Figures figures;

  public SideBySide(Size size, Figures figures) {
    this.size = size;
    this.figures = figures;
  }

  /**
   * Measures one round.
   *
   * @param title the subject's name in the tables
   */
  public void measure(String title, Subject subject) {
    Row row = new Row(title, subject, figures);
    row.remarkOnStore();
    Trial trial = new Trial(subject);
    trial.run("warm-up", Math.min(size.warmUp(), subject.mostWaiting()), 0);
    drain(row, trial);
    burst(row, trial);
    for (int rate : size.rates()) {
      rate(row, trial, rate);
    }
  }

  /** One subject's line in the tables. */
  record Row(String title, Subject subject, Figures figures) {

    void add(String table, String column, Unit unit, Number value) {
      new Line(figures, table, title, subject.store()).add(column, unit, value);
    }

    void remarkOnStore() {
      if (subject.lacksStoreCpu()) {
        figures.remark(title + ": CPU figures are without the store's, which runs elsewhere.");
      }
    }

    void remark(String text) {
      figures.remark(title + ": " + text);
    }
  }

  private void drain(Row row, Trial trial) {
    Outcome one = trial.run("create-1", Creation.ONE_THREAD, size.creates(), 0).orElseThrow();
    Outcome eight = trial.run("create-8", Creation.EIGHT_THREADS, size.creates(), 0).orElseThrow();
    int jobs = Math.min(size.jobs(), row.subject().mostWaiting());
    Outcome all = trial.run("all", jobs, 0);

    row.add(DRAIN, "jobs", Unit.COUNT, jobs);
    if (all.wasReadyInTime()) {
      all.starts().ifPresent(starts -> row.add(DRAIN, "runs/s", Unit.COUNT, starts.throughput()));
    } else {
      row.remark("some of the jobs that were all due at once were created after that; no figure.");
    }
    row.add(DRAIN, "lost", Unit.COUNT, all.lost());
    all.starts().ifPresent(starts -> row.add(DRAIN, "doubled", Unit.COUNT, starts.doubled()));
    row.add(DRAIN, "CPU a run, ms", Unit.CPU_MILLIS, all.runCpuMillisPerJob());
    all.runCpuMillisPerJobByRole()
        .forEach((role, millis) -> row.add(DRAIN_CPU, role, Unit.CPU_MILLIS, millis));
    row.add(DRAIN, "creates/s, 1 thread", Unit.COUNT, one.createsPerSecond());
    row.add(DRAIN, "8 threads", Unit.COUNT, eight.createsPerSecond());
    if (trial.quickest() == Creation.BATCH) {
      row.add(DRAIN, "batch", Unit.COUNT, all.createsPerSecond());
    }
    row.add(DRAIN, "CPU a create, ms, 8 threads", Unit.CPU_MILLIS, eight.createCpuMillisPerJob());
    if (trial.quickest() == Creation.BATCH) {
      row.add(DRAIN, "CPU a create, ms, batch", Unit.CPU_MILLIS, all.createCpuMillisPerJob());
    }
  }

  private void burst(Row row, Trial trial) {
    int jobs = Math.min(size.burst(), row.subject().mostWaiting());
    Outcome outcome = trial.run("burst", jobs, SECOND / jobs);
    row.add(BURST, "jobs", Unit.COUNT, jobs);
    if (!outcome.wasReadyInTime()) {
      row.remark("some jobs of the burst were created after they were due; no figure.");
      return;
    }
    row.add(BURST, "lost", Unit.COUNT, outcome.lost());
    outcome.starts().ifPresent(starts -> burst(row, outcome, starts));
  }

  private static void burst(Row row, Outcome outcome, Starts.Summary starts) {
    row.add(BURST, "doubled", Unit.COUNT, starts.doubled());
    row.add(BURST, "early", Unit.COUNT, starts.early());
    row.add(
        BURST,
        "until the last has started, s",
        Unit.SECONDS,
        (starts.last() - outcome.jobs().firstDue().toEpochMilli()) / 1e3);
    row.add(BURST, "CPU a run, ms", Unit.CPU_MILLIS, outcome.runCpuMillisPerJob());
  }

  private void rate(Row row, Trial trial, int rate) {
    int jobs = (int) (rate * size.rateTime().toSeconds());
    if (jobs > row.subject().mostWaiting()) {
      row.remark(
          "not measured at "
              + rate
              + " a second, since more than "
              + row.subject().mostWaiting()
              + " queues would wait in the broker.");
      return;
    }
    Outcome outcome = trial.run("rate-" + rate, jobs, SECOND / rate);
    String at = " at " + rate + "/s";
    if (!outcome.wasReadyInTime()) {
      row.remark("some jobs" + at + " were created after they were due; no figure.");
      return;
    }
    outcome
        .starts()
        .ifPresent(
            starts -> {
              row.add(RATE, "p50, ms" + at, Unit.MILLIS, starts.lateness(50));
              row.add(RATE, "p99" + at, Unit.MILLIS, starts.lateness(99));
              row.add(RATE, "max" + at, Unit.MILLIS, starts.lateness(100));
              row.add(RATE, "early" + at, Unit.COUNT, starts.early());
              row.add(RATE, "CPU a run, ms" + at, Unit.CPU_MILLIS, outcome.runCpuMillisPerJob());
            });
    row.add(RATE, "lost" + at, Unit.COUNT, outcome.lost());
  }
}
