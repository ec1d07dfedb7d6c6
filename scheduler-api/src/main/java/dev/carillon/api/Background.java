package dev.carillon.api;

import dev.carillon.ops.Threads;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is to be done a few seconds later, on a thread of its own. Thread-safe. */
final class Background implements Executor, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Background.class);
  private static final Duration LATER = Duration.ofSeconds(3);

  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, Threads.named("api-background"));

  /** Runs it a few seconds later, or never when this is closed before. */
  @Override
  public void execute(Runnable work) {
    try {
      Future<?> unused = thread.schedule(work, LATER.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException closed) {
      log.debug("not done any more, since the process stops");
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
