package dev.carillon.bench;

import dev.carillon.bench.measure.Figures;
import dev.carillon.bench.measure.Report;
import dev.carillon.bench.process.Servers;
import dev.carillon.bench.scenario.Growth;
import dev.carillon.bench.scenario.Incoming;
import dev.carillon.bench.scenario.Limits;
import dev.carillon.bench.scenario.SideBySide;
import dev.carillon.bench.subject.Mode;
import dev.carillon.bench.subject.Subject;
import dev.carillon.bench.subject.SubjectKind;
import dev.carillon.bench.subject.SubjectSettings;
import dev.carillon.bench.subject.UnknownModeException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures everything round by round: all subjects take turns in each, so that whatever else
 * happens on the machine meets all of them. What fails is left out of the report, which says so.
 */
final class Bench {

  private final BenchSettings settings;
  private final SubjectSettings subjects;
  private final Map<String, String> description;
  private final Figures figures = new Figures();
  private boolean failed;

  /**
   * @param machine description of the machine
   */
  Bench(BenchSettings settings, Servers servers, Map<String, String> machine) {
    this.settings = settings;
    this.subjects = new SubjectSettings(servers, settings.threads(), settings.size().mostQueues());
    this.description = new LinkedHashMap<>(machine);
    description.put("threads that run jobs, of each subject", "" + settings.threads());
    description.put("options of all JVMs", String.join(" ", settings.javaOptions()));
    description.put("rounds", settings.size().rounds() + "; figures are medians");
  }

  /** Returns whether everything could be measured. The report is written after each part. */
  boolean run() throws IOException {
    for (int round = 1; round <= settings.size().rounds(); round++) {
      String prefix = "round " + round + ": ";
      if (settings.parts().contains("limits")) {
        measureLimits(prefix);
      }
      if (settings.parts().contains("side-by-side")) {
        for (SubjectKind kind : settings.subjects()) {
          attempt(prefix + kind.title(), () -> measure(kind));
        }
      }
      if (settings.parts().contains("ingress")) {
        attempt(
            prefix + "delayed messages over AMQP",
            () -> new Incoming(settings.size(), subjects, figures).measure());
      }
      if (settings.parts().contains("workers")) {
        for (Mode mode : settings.growthModes()) {
          attempt(
              prefix + "workers, mode " + mode,
              () -> new Growth(settings.size(), subjects, figures).measureWorkers(mode));
        }
      }
    }
    if (settings.parts().contains("pending")) {
      for (Mode mode : settings.growthModes()) {
        attempt(
            "pending, mode " + mode,
            () -> new Growth(settings.size(), subjects, figures).measurePending(mode));
      }
    }
    return !failed;
  }

  private void measure(SubjectKind kind) {
    try (Subject subject = kind.start(subjects)) {
      new SideBySide(settings.size(), figures).measure(kind.title(), subject);
    }
  }

  private void measureLimits(String prefix) throws IOException {
    Limits limits = new Limits(settings.size(), subjects, figures);
    attempt(prefix + "log line", limits::measureLogLine);
    for (Mode mode : settings.limitModes()) {
      attempt(
          prefix + "bare loop and Carillon, mode " + mode,
          () -> limits.measureCarillon(mode, limits.measureLoop(mode)));
    }
  }

  private void attempt(String what, Runnable measurement) throws IOException {
    System.out.println(what);
    try {
      measurement.run();
    } catch (UnknownModeException e) {
      System.out.println("  " + e.getMessage());
      figures.remark(e.getMessage());
    } catch (RuntimeException e) { // the others are measured all the same
      failed = true;
      e.printStackTrace();
      figures.remark(what + " failed: " + e.getMessage().lines().findFirst().orElse(""));
    }
    new Report(described(), figures).write(settings.output());
  }

  private Map<String, String> described() {
    Map<String, String> all = new LinkedHashMap<>(description);
    List<String> versions = subjects.servers().versions();
    if (!versions.isEmpty()) {
      all.put("servers", String.join(", ", versions));
    }
    return all;
  }
}
