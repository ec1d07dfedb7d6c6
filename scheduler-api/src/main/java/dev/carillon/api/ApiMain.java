package dev.carillon.api;

import dev.carillon.ops.ConfigurationException;
import dev.carillon.ops.Environment;
import dev.carillon.ops.StartFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the API with the settings of the environment. */
public final class ApiMain {

  private static final Logger log = LoggerFactory.getLogger(ApiMain.class);
  private static final int CANNOT_START = 1;
  private static final int WRONG_CONFIGURATION = 2;

  private ApiMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    if (arguments.length > 0) {
      System.err.println("there are no arguments; settings come from environment variables");
      System.exit(WRONG_CONFIGURATION);
    }
    Environment environment = Environment.of(System.getenv());
    ApiProcess.Settings settings = ApiProcess.Settings.read(environment);
    try {
      environment.check();
    } catch (ConfigurationException e) {
      System.err.println(e.getMessage());
      System.exit(WRONG_CONFIGURATION);
    }
    log.info("settings (* set):\n{}", environment.effectiveValues());
    ApiProcess api = new ApiProcess(settings);
    try {
      api.start();
    } catch (RuntimeException e) {
      log.error("the API cannot start: {}; stopping", StartFailure.describe(e));
      log.debug("the API cannot start", e);
      api.close();
      System.exit(CANNOT_START);
    }
    api.await();
  }
}
