package dev.carillon.worker;

import dev.carillon.ops.Threads;
import dev.carillon.queue.Notice;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bounded number of threads that notices are fired on; virtual ones where the JVM has them. While
 * all are busy, what is of higher priority goes first, then what is due earlier, then what came
 * first. Thread-safe.
 */
final class FiringThreads {

  private static final int IDLE_SECONDS = 10;

  private final AtomicLong count = new AtomicLong();
  private final ThreadPoolExecutor threads;

  /**
   * @param most how many there are at most
   */
  FiringThreads(int most) {
    this.threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(),
            VirtualThreads.factory("firing").orElseGet(() -> Threads.numbered("firing")));
    threads.allowCoreThreadTimeOut(true);
  }

  /** Something to be done for a notice, and its place among others. */
  private record Waiting(Notice notice, long number, Runnable firing)
      implements Runnable, Comparable<Waiting> {

    private static final Comparator<Waiting> ORDER =
        Comparator.comparing((Waiting waiting) -> waiting.notice.priority())
            .thenComparing(waiting -> waiting.notice.runAt())
            .thenComparing(Waiting::number);

    @Override
    public void run() {
      firing.run();
    }

    @Override
    public int compareTo(Waiting other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * @throws RejectedExecutionException after {@link #close}
   */
  void execute(Notice notice, Runnable firing) {
    threads.execute(new Waiting(notice, count.incrementAndGet(), firing));
  }

  /** Begins nothing new but what waits already. */
  void close() {
    threads.shutdown();
  }

  /** Interrupts what runs, and begins nothing any more. */
  void closeNow() {
    List<Runnable> unused = threads.shutdownNow();
  }

  boolean awaitEnd(long millis) throws InterruptedException {
    return threads.awaitTermination(millis, TimeUnit.MILLISECONDS);
  }
}
