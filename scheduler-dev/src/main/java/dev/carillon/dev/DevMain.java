package dev.carillon.dev;

import dev.carillon.ops.ConfigurationException;
import dev.carillon.ops.Shutdown;
import dev.carillon.ops.StartFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts everything in one process; with the argument {@code mongo} only the embedded store. */
public final class DevMain {

  private static final Logger log = LoggerFactory.getLogger(DevMain.class);
  private static final int CANNOT_START = 1;
  private static final int WRONG_CONFIGURATION = 2;

  private DevMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    boolean storeOnly = List.of(arguments).equals(List.of("mongo"));
    if (arguments.length > 0 && !storeOnly) {
      System.err.println("the only argument that is known is: mongo");
      System.exit(WRONG_CONFIGURATION);
    }
    try {
      DevSettings settings = DevSettings.read(System.getenv());
      log.info("settings (* set):\n{}", settings.effectiveValues());
      if (storeOnly) {
        runStore(settings);
      } else {
        runAll(settings);
      }
    } catch (ConfigurationException e) {
      System.err.println(e.getMessage());
      System.exit(WRONG_CONFIGURATION);
    } catch (IOException | RuntimeException e) {
      System.err.println("cannot start: " + StartFailure.describe(e));
      log.debug("cannot start", e);
      System.exit(CANNOT_START);
    }
  }

  private static void runAll(DevSettings settings) throws IOException, InterruptedException {
    DevProcess process = new DevProcess(settings, System.out);
    process.start();
    process.awaitReady();
    process.await();
  }

  private static void runStore(DevSettings settings) throws IOException, InterruptedException {
    Shutdown shutdown = new Shutdown(Duration.ofSeconds(10));
    System.out.println("Store:   " + DevProcess.startEmbeddedStore(settings, shutdown));
    shutdown.onSignal();
    shutdown.await();
  }
}
