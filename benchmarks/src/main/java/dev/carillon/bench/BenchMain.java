package dev.carillon.bench;

import dev.carillon.bench.machine.Machine;
import dev.carillon.bench.process.ChildProcess.Surroundings;
import dev.carillon.bench.process.Servers;
import dev.carillon.bench.profile.Profile;
import dev.carillon.bench.scenario.Size;
import dev.carillon.bench.subject.SubjectSettings;
import dev.carillon.testkit.ExitGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures what its argument says: {@code full}, {@code quick} or {@code profile}. */
public final class BenchMain {

  private BenchMain() {}

  public static void main(String[] arguments) throws IOException {
    String what = arguments.length == 0 ? "full" : arguments[0];
    boolean complete =
        switch (what) {
          case "full" -> measure(BenchSettings.read(System.getenv(), Size.full()));
          case "quick" -> measure(BenchSettings.read(System.getenv(), Size.quick()));
          case "profile" -> profile(BenchSettings.read(System.getenv(), Size.full()));
          default -> throw new IllegalArgumentException("full, quick or profile, not " + what);
        };
    System.exit(complete ? 0 : 1);
  }

  private static boolean measure(BenchSettings settings) throws IOException {
    Path data = dataFolder();
    Map<String, String> machine = Machine.describe(data);
    try (ExitGuard guard = ExitGuard.over(data);
        Servers servers = servers(settings, data, guard, settings.javaOptions())) {
      boolean complete = new Bench(settings, servers, machine).run();
      System.out.println(Files.readString(settings.output().resolve("bench.md")));
      System.out.println("written to " + settings.output() + "/bench.md and bench.csv");
      return complete;
    }
  }

  private static boolean profile(BenchSettings settings) throws IOException {
    Profile profile =
        new Profile(
            settings.output().resolve("profile"),
            settings.profile().mode(),
            settings.profile().rate(),
            settings.size().loadTime());
    List<String> options = new ArrayList<>(settings.javaOptions());
    options.addAll(profile.javaOptions());
    Path data = dataFolder();
    Profile.Load load;
    try (ExitGuard guard = ExitGuard.over(data);
        Servers servers = servers(settings, data, guard, options)) {
      load =
          profile.run(
              new SubjectSettings(servers, settings.threads(), settings.size().mostQueues()));
    }
    System.out.println(profile.summarize(load));
    return true;
  }

  private static Path dataFolder() throws IOException {
    Path data = Files.createTempDirectory("carillon-bench-");
    // other users pass through: PostgreSQL does not run as root
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx--x--x"));
    return data;
  }

  private static Servers servers(
      BenchSettings settings, Path data, ExitGuard guard, List<String> javaOptions) {
    return new Servers(
        settings.checkout().toAbsolutePath(),
        data,
        new Surroundings(settings.output().resolve("logs"), guard, javaOptions),
        settings.mongodbUri(),
        settings.storePids());
  }
}
