package dev.carillon.bench.profile;

import dev.carillon.bench.process.Wait;
import dev.carillon.bench.subject.CarillonSubject;
import dev.carillon.bench.subject.Jobs;
import dev.carillon.bench.subject.Mode;
import dev.carillon.bench.subject.SubjectSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Carillon under a steady load with all of its JVMs recorded: recurring tasks that each fire once a
 * second, and tasks that are created meanwhile.
 */
public final class Profile {

  private static final Duration RUN_IN = Duration.ofSeconds(15);
  private static final double MILLIS = 1e3;

  private final Path folder;
  private final Mode mode;
  private final int rate;
  private final Duration time;

  /**
   * What is to be recorded.
   *
   * @param folder for the recordings and the summary
   * @param rate runs a second
   * @param time how long the load is looked at, after it has been there for a while
   */
  public Profile(Path folder, Mode mode, int rate, Duration time) {
    this.folder = folder;
    this.mode = mode;
    this.rate = rate;
    this.time = time;
  }

  /** What makes a JVM record, from its start until it ends. Makes the folder and empties it. */
  public List<String> javaOptions() {
    try {
      Files.createDirectories(folder);
      for (Path old : recordings()) {
        Files.delete(old);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.of(
        "-XX:StartFlightRecording=settings=profile,dumponexit=true,filename="
            + folder.toAbsolutePath(),
        "-Xlog:jfr+startup=off");
  }

  /** What was under load, and when. */
  public record Load(Instant begin, Instant end, List<String> lines) {}

  /** Puts Carillon under load; it is stopped afterwards, so that it writes its recordings. */
  public Load run(SubjectSettings settings) {
    try (CarillonSubject carillon = CarillonSubject.start(settings, mode, 1)) {
      Instant first = Instant.ofEpochMilli(System.currentTimeMillis()).plus(RUN_IN);
      Jobs jobs = new Jobs("profile", rate, first, 1_000_000_000L / rate);
      carillon.createRecurring(jobs, 4);
      Wait.until(first.plus(RUN_IN));

      Map<String, Double> cpu = carillon.processes().cpuMillis();
      long before = carillon.starts().count(jobs.batch());
      Instant begin = Instant.now();
      Wait.until(begin.plus(time));
      long runs = carillon.starts().count(jobs.batch()) - before;
      Map<String, Double> cpuEach = new LinkedHashMap<>();
      carillon
          .processes()
          .cpuMillis()
          .forEach((role, millis) -> cpuEach.put(role, (millis - cpu.get(role)) / runs));
      Instant end = Instant.now();
      List<String> lines = new ArrayList<>();
      lines.add(
          "mode %s, store: %s, %.0f runs a second of %d wanted"
              .formatted(
                  mode,
                  carillon.store(),
                  runs * MILLIS / Duration.between(begin, end).toMillis(),
                  rate));
      cpuEach.forEach((role, each) -> lines.add("CPU of %s: %.3f ms a run".formatted(role, each)));
      carillon
          .starts()
          .summary(jobs.batch())
          .ifPresent(
              starts ->
                  lines.add(
                      "lateness p50 %.0f, p99 %.0f, max %.0f ms"
                          .formatted(
                              starts.lateness(50), starts.lateness(99), starts.lateness(100))));
      return new Load(begin, end, lines);
    }
  }

  /**
   * Writes {@code profile.md}; to be called when all JVMs have ended.
   *
   * @return what is in it
   */
  public String summarize(Load load) throws IOException {
    StringBuilder text = new StringBuilder();
    load.lines().forEach(line -> text.append("- ").append(line).append('\n'));
    for (Path recording : recordings()) {
      text.append(RecordingSummary.read(recording, load.begin(), load.end()).markdown());
    }
    Files.writeString(folder.resolve("profile.md"), text);
    return text.toString();
  }

  private List<Path> recordings() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jfr")).sorted().toList();
    }
  }
}
