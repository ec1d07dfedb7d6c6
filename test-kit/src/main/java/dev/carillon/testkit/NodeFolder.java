package dev.carillon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The folder of one private RabbitMQ node: configuration, data and log, and the environment that
 * makes RabbitMQ keep to it and to loopback.
 */
final class NodeFolder {

  static final String LOOPBACK = "127.0.0.1";
  private static final int LOG_TAIL = 100;

  /** Tries again after 10 s, not after three minutes, what it could not dead-letter. */
  private static final String ADVANCED_CONFIG =
      "[{rabbit, [{dead_letter_worker_publisher_confirm_timeout, 10000}]}].\n";

  private final Path path;
  private final int amqpPort = FreePort.next();
  private final int distributionPort = FreePort.next();
  private final int epmdPort = FreePort.next();

  private NodeFolder(Path path) {
    this.path = path;
  }

  static NodeFolder create(String... settings) throws IOException {
    NodeFolder folder = new NodeFolder(Files.createTempDirectory("carillon-rabbitmq-"));
    Files.createDirectories(folder.path.resolve("home"));
    Files.createDirectories(folder.path.resolve("conf.d"));
    Files.writeString(folder.path.resolve("advanced.config"), ADVANCED_CONFIG);
    Files.writeString(folder.path.resolve("enabled_plugins"), "[].\n");
    Files.writeString(
        folder.path.resolve("rabbitmq.conf"),
        "log.console.level = warning\n" + String.join("\n", settings) + "\n");
    return folder;
  }

  Path path() {
    return path;
  }

  Path log() {
    return path.resolve("log");
  }

  int amqpPort() {
    return amqpPort;
  }

  int epmdPort() {
    return epmdPort;
  }

  /** A process that finds everything it needs in this folder, and nothing elsewhere. */
  ProcessBuilder process(String... command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(path.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("RABBITMQ_") || name.startsWith("ERL_"));
    environment.putAll(environment());
    return builder;
  }

  private Map<String, String> environment() {
    String listenOnLoopback = "-kernel inet_dist_use_interface {127,0,0,1}";
    return Map.ofEntries(
        Map.entry("HOME", path.resolve("home").toString()),
        Map.entry("HOSTNAME", "localhost"),
        Map.entry("LANG", "C.UTF-8"),
        Map.entry("ERL_EPMD_ADDRESS", LOOPBACK),
        Map.entry("ERL_EPMD_PORT", Integer.toString(epmdPort)),
        Map.entry("RABBITMQ_NODENAME", "rabbit" + amqpPort + "@localhost"),
        Map.entry("RABBITMQ_NODE_IP_ADDRESS", LOOPBACK),
        Map.entry("RABBITMQ_NODE_PORT", Integer.toString(amqpPort)),
        Map.entry("RABBITMQ_DIST_PORT", Integer.toString(distributionPort)),
        // Any port: with the usual fixed few, no more than ten could run on a machine at a time.
        Map.entry("RABBITMQ_CTL_DIST_PORT_MIN", "0"),
        Map.entry("RABBITMQ_CTL_DIST_PORT_MAX", "0"),
        Map.entry("RABBITMQ_CTL_ERL_ARGS", listenOnLoopback),
        // "+B i": Ctrl-C in the terminal reaches the node too, and must not open its break menu.
        Map.entry("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+B i " + listenOnLoopback),
        Map.entry("RABBITMQ_MNESIA_BASE", data().toString()),
        Map.entry("RABBITMQ_PID_FILE", path.resolve("node").toString()),
        Map.entry("RABBITMQ_LOGS", "-"),
        Map.entry("RABBITMQ_LOG_BASE", path.toString()),
        Map.entry("RABBITMQ_CONFIG_FILE", path.resolve("rabbitmq").toString()),
        Map.entry("RABBITMQ_CONFIG_FILES", path.resolve("conf.d").toString()),
        Map.entry("RABBITMQ_ADVANCED_CONFIG_FILE", path.resolve("advanced.config").toString()),
        Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", path.resolve("enabled_plugins").toString()),
        Map.entry("RABBITMQ_CONF_ENV_FILE", "/dev/null"),
        // Makes the start script become the node instead of its parent, so that signals reach it.
        Map.entry("RUNNING_UNDER_SYSTEMD", "true"));
  }

  private Path data() {
    return path.resolve("data");
  }

  void deleteData() {
    if (!Files.exists(data())) {
      return;
    }
    try (Stream<Path> files = Files.walk(data())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  String logTail() {
    try {
      List<String> lines = Files.readAllLines(log());
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size()));
    } catch (IOException exception) {
      return "(no log: " + exception + ")";
    }
  }
}
