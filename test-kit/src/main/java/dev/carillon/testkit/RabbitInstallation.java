package dev.carillon.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * RabbitMQ as installed on this machine.
 *
 * <p>The folders below hold the scripts that run as the user who calls them. What packages put into
 * {@code /usr/sbin} under the same names changes to the user {@code rabbitmq} first, which only
 * root may, and which could not write into a test's folder.
 *
 * @param bin the folder with {@code rabbitmq-server} and {@code rabbitmqctl}
 */
record RabbitInstallation(Path bin) {

  private static final List<Path> USUAL_FOLDERS =
      List.of(
          Path.of("/usr/lib/rabbitmq/bin"),
          Path.of("/opt/homebrew/opt/rabbitmq/sbin"),
          Path.of("/usr/local/opt/rabbitmq/sbin"));

  /** Looks in {@code RABBIT_BIN} if that is set, and nowhere else then. */
  static RabbitInstallation find(Map<String, String> environment)
      throws ServerUnavailableException {
    String override = environment.get("RABBIT_BIN");
    if (override != null) {
      return in(List.of(Path.of(override)), "RABBIT_BIN is " + override + ", but no ");
    }
    return in(USUAL_FOLDERS, "RabbitMQ is not installed (apt-get install rabbitmq-server): no ");
  }

  Path server() {
    return bin.resolve("rabbitmq-server");
  }

  Path ctl() {
    return bin.resolve("rabbitmqctl");
  }

  private static RabbitInstallation in(List<Path> folders, String complaint)
      throws ServerUnavailableException {
    for (Path folder : folders) {
      RabbitInstallation installation = new RabbitInstallation(folder);
      if (Files.isExecutable(installation.server())) {
        return installation;
      }
    }
    throw new ServerUnavailableException(complaint + "rabbitmq-server in " + folders);
  }
}
