package dev.carillon.embedded;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.h2.mvstore.MVStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the file small: every update leaves its old page behind, and a chunk of pages can only be
 * reused once the ones in it that still count have been written elsewhere.
 *
 * <p>It does a little at a time, because everybody has to wait meanwhile: moving pages under a
 * reader would take away what it is about to read.
 */
final class Compaction implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Compaction.class);

  private static final int INTERVAL_MILLIS = 100;
  private static final int BYTES_EACH_TIME = 256 << 10;
  static final int WANTED_FILL_PERCENT = 50;

  private final MVStore store;
  private final Lock everybodyKeptOut;
  private final GroupCommit commits;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "embedded-mongodb-compaction");
            thread.setDaemon(true);
            return thread;
          });

  Compaction(MVStore store, Lock everybodyKeptOut, GroupCommit commits) {
    this.store = store;
    this.everybodyKeptOut = everybodyKeptOut;
    this.commits = commits;
  }

  void start() {
    var unused = // the task reports its own failures
        timer.scheduleWithFixedDelay(
            this::compact, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
  }

  private synchronized void compact() {
    try {
      if (!timer.isShutdown() && moved()) {
        commits.awaitDurable(commits.countApplied());
      }
    } catch (RuntimeException e) {
      LOG.error("The data file cannot be compacted and would only grow; no further attempt", e);
      timer.shutdown();
    }
  }

  private boolean moved() {
    everybodyKeptOut.lock();
    try {
      return !store.isClosed() && store.compact(WANTED_FILL_PERCENT, BYTES_EACH_TIME);
    } finally {
      everybodyKeptOut.unlock();
    }
  }

  /** Lets a running step finish: interrupting its thread would close the file under it. */
  @Override
  public synchronized void close() {
    timer.shutdown();
  }
}
