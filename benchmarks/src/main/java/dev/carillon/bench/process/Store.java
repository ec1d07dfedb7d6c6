package dev.carillon.bench.process;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.carillon.bench.process.ChildProcess.Surroundings;
import dev.carillon.testkit.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.Document;

/** What keeps Carillon's tasks: the server of {@code MONGODB_URI}, or the embedded one. */
public final class Store implements AutoCloseable {

  private static final Pattern URI =
      Pattern.compile("(mongodb(?:\\+srv)?://[^/?]+)/?[^?]*(\\?.*)?");

  private final String uri;
  private final String name;
  private final Optional<ChildProcess> process;
  private final List<Long> pids;

  private Store(String uri, String name, Optional<ChildProcess> process, List<Long> pids) {
    this.uri = uri;
    this.name = name;
    this.process = process;
    this.pids = pids;
  }

  /** Starts the embedded server as a process of its own, with its data in a folder, synced. */
  public static Store embedded(Path jar, Path folder, Surroundings surroundings) {
    int port = FreePort.next();
    ChildProcess process =
        surroundings.startJava(
            "store",
            List.of("-Xmx4g"),
            List.of("-jar", jar.toString(), "mongo"),
            Map.of("EMBEDDED_MONGODB_PORT", "" + port, "DATA_DIR", folder.toString()),
            line -> {});
    process.awaitReady(() -> accepts(port));
    return new Store(
        "mongodb://127.0.0.1:%d/?retryWrites=false".formatted(port),
        "embedded, not MongoDB",
        Optional.of(process),
        List.of(process.pid()));
  }

  /**
   * Uses a server that is there.
   *
   * @param pids its processes, if they are on this machine and are to be counted
   */
  public static Store of(String uri, List<Long> pids) {
    try (MongoClient client = MongoClients.create(uri)) {
      String version =
          client.getDatabase("admin").runCommand(new Document("buildInfo", 1)).getString("version");
      return new Store(uri, "MONGODB_URI, version " + version, Optional.empty(), pids);
    }
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** As figures name it. */
  public String name() {
    return name;
  }

  /** Empty if the server is somebody else's and its CPU time cannot be told. */
  public List<Long> pids() {
    return pids;
  }

  /** The URI with that database. */
  public String database(String database) {
    return withDatabase(uri, database);
  }

  static String withDatabase(String uri, String database) {
    Matcher parts = URI.matcher(uri);
    if (!parts.matches()) {
      throw new IllegalArgumentException("MONGODB_URI is not of the form mongodb://…");
    }
    return parts.group(1) + "/" + database + Optional.ofNullable(parts.group(2)).orElse("");
  }

  /** Removes all that is in a database. */
  public void drop(String database) {
    try (MongoClient client = MongoClients.create(uri)) {
      client.getDatabase(database).drop();
    }
  }

  @Override
  public void close() {
    process.ifPresent(ChildProcess::close);
  }
}
