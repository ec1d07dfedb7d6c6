package dev.carillon.bench.process;

import dev.carillon.bench.machine.Shell;
import dev.carillon.bench.process.ChildProcess.Surroundings;
import dev.carillon.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * PostgreSQL as installed on this machine, as a private process on loopback, with its data in a
 * folder of its own. Durable: an answered commit is on the disk. Otherwise set as for a machine
 * that has a few cores and some memory for it.
 */
public final class Postgres implements AutoCloseable {

  private static final String USER = "bench";
  private static final List<String> SETTINGS =
      List.of(
          "listen_addresses=127.0.0.1",
          "unix_socket_directories=",
          "fsync=on",
          "synchronous_commit=on",
          "full_page_writes=on",
          "shared_buffers=512MB",
          "wal_buffers=16MB",
          "max_wal_size=4GB",
          "checkpoint_timeout=30min",
          "commit_delay=0",
          "random_page_cost=1.1",
          "max_connections=100",
          "jit=off");

  private final int port;
  private final ChildProcess process;
  private final String version;

  private Postgres(int port, ChildProcess process, String version) {
    this.port = port;
    this.process = process;
    this.version = version;
  }

  /**
   * Makes a cluster in the folder and starts it.
   *
   * @throws IllegalStateException if PostgreSQL is not installed, with what to install
   */
  public static Postgres start(Path folder, Surroundings surroundings) {
    Path bin = bin();
    List<String> asUser = asOrdinaryUser(folder);
    List<String> initialize = new ArrayList<>(asUser);
    initialize.add(bin.resolve("initdb").toString());
    initialize.addAll(List.of("-D", folder + "/data", "-U", USER, "-A", "trust"));
    initialize.addAll(List.of("--no-locale", "-E", "UTF8"));
    Shell.output(initialize.toArray(String[]::new));

    int port = FreePort.next();
    List<String> command = new ArrayList<>(asUser);
    command.add(bin.resolve("postgres").toString());
    command.addAll(List.of("-D", folder + "/data", "-p", "" + port));
    SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
    ChildProcess process = surroundings.start("postgresql", command, Map.of(), line -> {});
    process.awaitReady(() -> answers(port));
    return new Postgres(port, process, Shell.output(bin.resolve("postgres").toString(), "-V"));
  }

  private static Path bin() {
    String set = System.getenv("POSTGRES_BIN");
    if (set != null) {
      return Path.of(set);
    }
    Path versions = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(versions)) {
      try (Stream<Path> folders = Files.list(versions)) {
        return folders
            .map(folder -> folder.resolve("bin"))
            .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
            .max(Comparator.naturalOrder())
            .orElseThrow(Postgres::missing);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw missing();
  }

  private static IllegalStateException missing() {
    return new IllegalStateException(
        "PostgreSQL is not installed (apt-get install postgresql), and POSTGRES_BIN is not set");
  }

  /** PostgreSQL refuses to run as root; the package has made a user for it. */
  private static List<String> asOrdinaryUser(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!System.getProperty("user.name").equals("root")) {
      return List.of();
    }
    Shell.output("chown", "postgres:", folder.toString());
    return List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups");
  }

  private static boolean answers(int port) {
    try (Connection connection = DriverManager.getConnection(url(port, "postgres"))) {
      return connection.isValid(1);
    } catch (SQLException notYet) {
      return false;
    }
  }

  private static String url(int port, String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=%s".formatted(port, database, USER);
  }

  /** Makes an empty database; returns its JDBC URL. */
  public String createDatabase(String name) {
    execute("CREATE DATABASE " + name);
    return url(port, name);
  }

  /** Nobody may be connected to it any more. */
  public void dropDatabase(String name) {
    execute("DROP DATABASE " + name + " WITH (FORCE)");
    execute("CHECKPOINT"); // or else the next to be measured would pay for it
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(url(port, "postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql + " failed; " + process.tail(), e);
    }
  }

  public String version() {
    return version.replaceAll("postgres \\(PostgreSQL\\) ([0-9.]+).*", "PostgreSQL $1");
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.close();
  }
}
