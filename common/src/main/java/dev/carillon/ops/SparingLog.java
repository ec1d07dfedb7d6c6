package dev.carillon.ops;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Warns of what may happen to very many at once: of the first at once, and then, every half a
 * minute while it goes on, of the latest, with the number of the others. Each of them can be seen
 * at level DEBUG. Thread-safe.
 */
public final class SparingLog {

  private static final Duration PAUSE = Duration.ofSeconds(30);

  private final Logger log;
  private final Executor afterPause;
  private boolean isPause;
  private int untold;
  private String latest = "";
  private Object[] ofLatest = {};

  public SparingLog(Logger log) {
    this(log, CompletableFuture.delayedExecutor(PAUSE.toSeconds(), TimeUnit.SECONDS));
  }

  /**
   * @param afterPause runs what it is given when a pause is over
   */
  SparingLog(Logger log, Executor afterPause) {
    this.log = log;
    this.afterPause = afterPause;
  }

  /**
   * It has happened once more.
   *
   * @param message the same each time, but for what is in the placeholders
   */
  public synchronized void warn(String message, Object... details) {
    if (isPause) {
      log.debug(message, details);
      untold++;
      latest = message;
      ofLatest = details.clone();
    } else {
      log.warn(message, details);
      pause();
    }
  }

  private void pause() {
    isPause = true;
    afterPause.execute(this::sumUp);
  }

  private synchronized void sumUp() {
    if (untold == 0) {
      isPause = false;
      return;
    }
    String others = " (and " + (untold - 1) + " others in " + PAUSE.toSeconds() + " s)";
    log.warn(untold == 1 ? latest : latest + others, ofLatest);
    untold = 0;
    ofLatest = new Object[0];
    pause();
  }
}
