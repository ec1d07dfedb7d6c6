package dev.carillon.worker;

import dev.carillon.ops.Threads;
import dev.carillon.queue.Notice;
import dev.carillon.task.TaskId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded number of threads that notices are fired on; virtual ones where the JVM has them. While
 * all are busy, what is of higher priority goes first, then what is due earlier, then what came
 * first. Notices of one task get a part of them only, so that a slow task whose runs overlap leaves
 * room for others. Thread-safe.
 */
final class FiringThreads {

  private static final int IDLE_SECONDS = 10;

  private final AtomicLong count = new AtomicLong();
  private final int mostOfOneTask;
  private final ThreadPoolExecutor threads;
  private final Map<TaskId, OfOneTask> byTask = new HashMap<>();
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * @param most how many there are at most
   * @param mostOfOneTask how many of them a single task gets
   */
  FiringThreads(int most, int mostOfOneTask) {
    this.mostOfOneTask = mostOfOneTask;
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
  private record Waiting(Notice notice, long number, Runnable firing, Runnable end)
      implements Runnable, Comparable<Waiting> {

    private static final Comparator<Waiting> ORDER =
        Comparator.comparing((Waiting waiting) -> waiting.notice.priority())
            .thenComparing(waiting -> waiting.notice.runAt())
            .thenComparing(Waiting::number);

    @Override
    public void run() {
      try {
        firing.run();
      } finally {
        end.run();
      }
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
    TaskId task = notice.task();
    Waiting waiting = new Waiting(notice, count.incrementAndGet(), firing, () -> hasEnded(task));
    lock.lock();
    try {
      OfOneTask own = byTask.computeIfAbsent(task, any -> new OfOneTask());
      if (own.running < mostOfOneTask) {
        threads.execute(waiting);
        own.running++;
      } else {
        own.waiting.add(waiting);
      }
    } finally {
      lock.unlock();
    }
  }

  /** What a task has on the threads, and what has to wait for that. Guarded by the lock. */
  private static final class OfOneTask {
    private final Queue<Waiting> waiting = new PriorityQueue<>();
    private int running;
  }

  private void hasEnded(TaskId task) {
    lock.lock();
    try {
      OfOneTask own = byTask.get(task);
      if (own == null) {
        return; // closing
      }
      own.running--;
      if (!own.waiting.isEmpty() && !threads.isShutdown()) {
        threads.execute(own.waiting.remove());
        own.running++;
      } else if (own.running == 0) {
        byTask.remove(task);
      }
    } catch (RejectedExecutionException closing) {
      byTask.remove(task); // nothing begins any more
    } finally {
      lock.unlock();
    }
  }

  /** Begins nothing new but what waits for a thread already. */
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
