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

  /** It has failed, and will be tried again. */
  public void failed(Throwable failure) {
    if (failing.compareAndSet(false, true)) {
      log.warn("could not {}; trying again until it succeeds", what, failure);
    } else {
      log.debug("could not {}", what, failure);
    }
  }

  /** It has succeeded. */
  public void succeeded() {
    if (failing.get() && failing.compareAndSet(true, false)) {
      log.info("could {} again", what);
    }
  }
}
