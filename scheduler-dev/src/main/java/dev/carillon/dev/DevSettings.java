package dev.carillon.dev;

import dev.carillon.api.ApiSettings;
import dev.carillon.config.CommonSettings;
import dev.carillon.config.EventSettings;
import dev.carillon.config.IngressSettings;
import dev.carillon.ops.Environment;
import dev.carillon.worker.HandlersFolder;
import dev.carillon.worker.WorkerSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What can be set for everything in one process: all that the API and workers have, with other
 * defaults where these would reach beyond this machine.
 *
 * @param handlersFolder jars with handlers; it need not be there
 * @param dataFolder where the embedded store keeps its data
 * @param publishesEvents whether what happens to tasks is published, if there is a broker
 * @param ingressExchanges for which messages are taken in that are to be delivered later, if there
 *     is a broker
 * @param usesBroker whether notices wait in RabbitMQ rather than in this process
 * @param usesStore whether tasks are kept in MongoDB rather than by the embedded store
 */
record DevSettings(
    CommonSettings common,
    ApiSettings api,
    WorkerSettings worker,
    Path handlersFolder,
    Path dataFolder,
    int mongodbPort,
    boolean publishesEvents,
    List<String> ingressExchanges,
    boolean usesBroker,
    boolean usesStore,
    String effectiveValues) {

  private static final int MONGODB_PORT = 27017;

  /**
   * Reads them all.
   *
   * @throws dev.carillon.ops.ConfigurationException with everything that is wrong
   */
  static DevSettings read(Map<String, String> variables) {
    boolean usesBroker = isSet(variables, "AMQP_URI");
    boolean usesStore = isSet(variables, "MONGODB_URI");
    Environment environment = Environment.of(withLocalDefaults(variables));
    Path dataFolder =
        Path.of(environment.text("DATA_DIR", "./data", "Where `./run` keeps its data"));
    int mongodbPort =
        environment.wholeNumber(
            "EMBEDDED_MONGODB_PORT", MONGODB_PORT, 1, 65_535, "Port of the embedded store");
    CommonSettings common = CommonSettings.read(environment);
    DevSettings settings =
        new DevSettings(
            common,
            ApiSettings.read(environment),
            WorkerSettings.read(environment, common),
            HandlersFolder.read(environment),
            dataFolder,
            mongodbPort,
            EventSettings.read(environment),
            IngressSettings.read(environment),
            usesBroker,
            usesStore,
            environment.effectiveValues());
    environment.check();
    return settings;
  }

  private static Map<String, String> withLocalDefaults(Map<String, String> variables) {
    Map<String, String> local = new HashMap<>(variables);
    if (!isSet(variables, "HTTP_HOST")) {
      local.put("HTTP_HOST", "127.0.0.1");
    }
    if (!isSet(variables, "MONGODB_URI")) {
      String port = variables.getOrDefault("EMBEDDED_MONGODB_PORT", "").strip();
      boolean isNumber = port.matches("[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}");
      local.put(
          "MONGODB_URI",
          "mongodb://127.0.0.1:%s/carillon?retryWrites=false"
              .formatted(isNumber ? port : MONGODB_PORT));
    }
    return local;
  }

  private static boolean isSet(Map<String, String> variables, String name) {
    return !variables.getOrDefault(name, "").isBlank();
  }
}
