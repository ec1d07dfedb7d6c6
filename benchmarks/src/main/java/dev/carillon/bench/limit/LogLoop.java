package dev.carillon.bench.limit;

import dev.carillon.bench.peer.RunLog;
import dev.carillon.bench.process.Wait;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes the line that each job writes, to show what being observed costs. Not as fast as it can:
 * all lines are kept by whoever measures.
 */
final class LogLoop implements Loop {

  private static final int WITHOUT_PAUSE = 100;
  private static final long PAUSE_MILLIS = 5;

  private final AtomicLong count = new AtomicLong();

  @Override
  public void start() {
    Thread thread = new Thread(this::repeat, "log");
    thread.setDaemon(true);
    thread.start();
  }

  private void repeat() {
    while (true) {
      if (count.get() % WITHOUT_PAUSE == 0) {
        Wait.pause(PAUSE_MILLIS);
      }
      RunLog.started("log_" + count.get(), Instant.ofEpochMilli(System.currentTimeMillis()));
      count.incrementAndGet();
    }
  }

  @Override
  public long count() {
    return count.get();
  }
}
