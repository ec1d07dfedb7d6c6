package dev.carillon.ops;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * Logs something that fails again and again while a server is away: when it begins and when it
 * ends, and what comes between for those only who look closely. Thread-safe.
 */
public final class OutageLog {

  private final Logger log;
  private final String what;
  private final AtomicBoolean failing = new AtomicBoolean();

  /**
   * @param what is done, as it goes on after "could not"
   */
  public OutageLog(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  /**
   * It has failed, and will be tried again. What a server or its driver says is told in one line; a
   * fault in the program with its stack trace.
   */
  public void failed(Throwable failure) {
    if (failing.compareAndSet(false, true)) {
      String message = "could not {} ({}); trying again until it succeeds";
      if (isFault(failure)) {
        log.warn(message, what, failure.toString(), failure);
      } else {
        log.warn(message, what, failure.toString());
        log.debug("could not {}", what, failure);
      }
    } else {
      log.debug("could not {}", what, failure);
    }
  }

  /** Drivers have exceptions of their own for servers that are away. */
  private static boolean isFault(Throwable failure) {
    return failure instanceof Error
        || (failure instanceof RuntimeException
            && failure.getClass().getName().startsWith("java."));
  }

  /** It has succeeded. */
  public void succeeded() {
    if (failing.get() && failing.compareAndSet(true, false)) {
      log.info("could {} again", what);
    }
  }
}
