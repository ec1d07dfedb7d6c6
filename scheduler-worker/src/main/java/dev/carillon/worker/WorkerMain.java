package dev.carillon.worker;

import dev.carillon.ops.ConfigurationException;
import dev.carillon.ops.Environment;
import dev.carillon.ops.StartFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts a worker with the settings of the environment. */
public final class WorkerMain {

  private static final Logger log = LoggerFactory.getLogger(WorkerMain.class);
  private static final int CANNOT_START = 1;
  private static final int WRONG_CONFIGURATION = 2;

  private WorkerMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    if (arguments.length > 0) {
      System.err.println("there are no arguments; settings come from environment variables");
      System.exit(WRONG_CONFIGURATION);
    }
    Environment environment = Environment.of(System.getenv());
    WorkerProcess.Settings settings = WorkerProcess.Settings.read(environment);
    try {
      environment.check();
    } catch (ConfigurationException e) {
      System.err.println(e.getMessage());
      System.exit(WRONG_CONFIGURATION);
    }
    log.info("settings (* set):\n{}", environment.effectiveValues());
    WorkerProcess worker = new WorkerProcess(settings);
    try {
      worker.start();
    } catch (RuntimeException e) {
      log.error("the worker cannot start: {}; stopping", StartFailure.describe(e));
      log.debug("the worker cannot start", e);
      worker.close();
      System.exit(CANNOT_START);
    }
    worker.await();
  }
}
