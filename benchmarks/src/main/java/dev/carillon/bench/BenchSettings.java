package dev.carillon.bench;

import dev.carillon.bench.scenario.Size;
import dev.carillon.bench.subject.Mode;
import dev.carillon.bench.subject.SubjectKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What is to be measured, and with what.
 *
 * @param parts which of {@code side-by-side}, {@code limits}, {@code ingress}, {@code workers},
 *     {@code pending}
 * @param growthModes which modes the parts {@code pending} and {@code workers} are measured in
 * @param profile what is recorded
 * @param checkout whose jars of Carillon are measured
 * @param output where the report goes
 */
record BenchSettings(
    Size size,
    List<SubjectKind> subjects,
    List<String> parts,
    List<Mode> limitModes,
    List<Mode> growthModes,
    int threads,
    List<String> javaOptions,
    Optional<String> mongodbUri,
    List<Long> storePids,
    Load profile,
    Path checkout,
    Path output) {

  /** A steady load. */
  record Load(Mode mode, int rate) {}

  static final List<String> PARTS =
      List.of("limits", "side-by-side", "ingress", "workers", "pending");

  /**
   * Reads them from environment variables.
   *
   * @param standard what is measured where nothing else is set
   */
  static BenchSettings read(Map<String, String> environment, Size standard) {
    Reader reader = new Reader(environment);
    Size size =
        new Size(
            reader.number("BENCH_ROUNDS", standard.rounds()),
            reader.number("BENCH_WARM_UP", standard.warmUp()),
            reader.number("BENCH_CREATES", standard.creates()),
            reader.number("BENCH_JOBS", standard.jobs()),
            reader.number("BENCH_BURST", standard.burst()),
            reader.list("BENCH_RATES", standard.rates(), Integer::valueOf),
            reader.seconds("BENCH_RATE_SECONDS", standard.rateTime()),
            reader.seconds("BENCH_LOAD_SECONDS", standard.loadTime()),
            reader.list("BENCH_PENDING", standard.pending(), Integer::valueOf),
            reader.list("BENCH_WORKERS", standard.workers(), Integer::valueOf),
            reader.number("BENCH_MOST_QUEUES", standard.mostQueues()));
    return new BenchSettings(
        size,
        reader.list("BENCH_SUBJECTS", List.of(SubjectKind.values()), SubjectKind::of),
        reader.list("BENCH_PARTS", PARTS, BenchSettings::part),
        reader.list("BENCH_LIMIT_MODES", List.of(Mode.OWN, Mode.WHEEL), BenchSettings::mode),
        reader.list("BENCH_GROWTH_MODES", List.of(Mode.AUTO), BenchSettings::mode),
        reader.number("BENCH_THREADS", 16),
        reader.list("BENCH_JAVA_OPTS", List.of("-Xmx1g"), Function.identity()),
        Optional.ofNullable(environment.get("MONGODB_URI")).filter(uri -> !uri.isBlank()),
        reader.list("BENCH_STORE_PIDS", List.of(), Long::valueOf),
        new Load(
            mode(reader.text("BENCH_PROFILE_MODE").orElse("auto")),
            reader.number("BENCH_PROFILE_RATE", 50)),
        Path.of(environment.getOrDefault("BENCH_CHECKOUT", "")),
        Path.of(environment.getOrDefault("BENCH_OUTPUT", "benchmarks/target/results")));
  }

  private static String part(String name) {
    if (!PARTS.contains(name)) {
      throw new IllegalArgumentException("no part is called " + name + "; there are " + PARTS);
    }
    return name;
  }

  private static Mode mode(String name) {
    return Mode.valueOf(name.toUpperCase(Locale.ROOT));
  }

  private record Reader(Map<String, String> environment) {

    private Optional<String> text(String name) {
      return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
    }

    int number(String name, int standard) {
      return text(name).map(Integer::valueOf).orElse(standard);
    }

    Duration seconds(String name, Duration standard) {
      return text(name).map(Integer::valueOf).map(Duration::ofSeconds).orElse(standard);
    }

    <T> List<T> list(String name, List<T> standard, Function<String, T> read) {
      return text(name)
          .map(value -> Arrays.stream(value.strip().split("[,\\s]+", -1)).map(read).toList())
          .orElse(standard);
    }
  }
}
