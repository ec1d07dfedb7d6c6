package dev.carillon.bench.limit;

import dev.carillon.bench.peer.RunLog;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Writes the line that each job writes, to show what being observed costs. */
final class LogLoop implements Loop {

  private final AtomicLong count = new AtomicLong();

  @Override
  public void start() {
    Thread thread = new Thread(this::repeat, "log");
    thread.setDaemon(true);
    thread.start();
  }

  private void repeat() {
    while (true) {
      RunLog.started("log_" + count.get(), Instant.ofEpochMilli(System.currentTimeMillis()));
      count.incrementAndGet();
    }
  }

  @Override
  public long count() {
    return count.get();
  }
}
