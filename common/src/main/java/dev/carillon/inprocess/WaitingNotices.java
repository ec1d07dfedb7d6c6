package dev.carillon.inprocess;

import dev.carillon.queue.Notice;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Notices that wait for their time, by the names of their queues. Thread-safe. */
final class WaitingNotices implements AutoCloseable {

  private final Map<String, Waiting> byQueue = new HashMap<>();
  private final ScheduledThreadPoolExecutor timer;
  private boolean closed;

  WaitingNotices() {
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "carillon-inprocess-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
  }

  /**
   * Keeps a notice and hands it on after the delay, on the timer's thread. It takes the place of
   * one that waits in the same queue. Without effect when closed.
   */
  synchronized void hold(Notice notice, Duration delay, Consumer<Notice> due) {
    if (closed) {
      return;
    }
    remove(notice.queue());
    Waiting waiting = new Waiting();
    waiting.timer =
        timer.schedule(
            () -> {
              if (isOver(notice.queue(), waiting)) {
                due.accept(notice);
              }
            },
            TimeUnit.NANOSECONDS.convert(delay), // however far away
            TimeUnit.NANOSECONDS);
    byQueue.put(notice.queue(), waiting);
  }

  private synchronized boolean isOver(String queue, Waiting waiting) {
    return byQueue.remove(queue, waiting);
  }

  synchronized void remove(String queue) {
    Waiting waiting = byQueue.remove(queue);
    if (waiting != null) {
      waiting.timer.cancel(false);
    }
  }

  synchronized int size() {
    return byQueue.size();
  }

  @Override
  public synchronized void close() {
    closed = true;
    byQueue.clear();
    timer.shutdownNow();
  }

  private static final class Waiting {
    private Future<?> timer;
  }
}
