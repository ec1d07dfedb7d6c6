package dev.carillon.ops;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The orderly end of a process: what was started is closed in the reverse order, within a deadline.
 * A step that fails does not keep the others from being taken; one that hangs costs the rest of the
 * time, and what is left after it ends with the process. Thread-safe.
 */
public final class Shutdown implements AutoCloseable {

  private record Step(String name, AutoCloseable closeable) {}

  private static final Logger log = LoggerFactory.getLogger(Shutdown.class);

  private final Duration deadline;
  private final Deque<Step> steps = new ArrayDeque<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private Thread closing;

  /**
   * @param deadline how long all steps may take together
   */
  public Shutdown(Duration deadline) {
    this.deadline = deadline;
  }

  /**
   * To be closed before everything that was added earlier.
   *
   * @return the same thing
   * @throws IllegalStateException when the end has begun; then the thing has been closed
   */
  public <T extends AutoCloseable> T add(String name, T closeable) {
    synchronized (this) {
      if (closing == null) {
        steps.push(new Step(name, closeable));
        return closeable;
      }
    }
    close(new Step(name, closeable));
    throw new IllegalStateException(name + " was started during the shutdown");
  }

  /** From now on SIGTERM and SIGINT, and any other end of the JVM but a kill, close everything. */
  public void onSignal() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "shutdown-hook"));
  }

  /** Waits until somebody has closed everything. */
  public void await() throws InterruptedException {
    ended.await();
  }

  /**
   * Takes all steps and returns when they are taken or the deadline has passed. Whoever calls it
   * again waits for the same end.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closing == null) {
        closing = new Thread(this::takeSteps, "shutdown");
        closing.setDaemon(true);
        closing.start();
      }
    }
    try {
      if (!ended.await(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("not everything has stopped within {}; not stopped: {}", deadline, left());
        ended.countDown();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void takeSteps() {
    for (Step step = top(); step != null; step = top()) {
      log.info("stopping {}", step.name());
      close(step);
      synchronized (this) {
        steps.pop();
      }
    }
    log.info("stopped");
    ended.countDown();
  }

  private synchronized Step top() {
    return steps.peek();
  }

  private synchronized List<String> left() {
    List<String> names = new ArrayList<>();
    steps.forEach(step -> names.add(step.name()));
    return names;
  }

  private static void close(Step step) {
    try {
      step.closeable().close();
    } catch (Exception e) {
      log.warn("{} did not stop as it should; going on with the rest", step.name(), e);
    }
  }
}
