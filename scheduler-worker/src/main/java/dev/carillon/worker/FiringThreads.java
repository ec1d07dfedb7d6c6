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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounded threads that notices are fired on; virtual ones where the JVM has them. So many attempts
 * may be made at a time; a firing whose attempt is over leaves its place to the next, and goes on
 * beside it with what is left to do, up to a bound. While there is no place, what is of higher
 * priority goes first, then what is due earlier, then what came first. Notices of one task get a
 * part of the places only, so that a slow task whose runs overlap leaves room for others.
 * Thread-safe.
 */
final class FiringThreads {

  /** How many firings may be on for each that may make an attempt. */
  private static final int ON_FOR_EACH_PLACE = 4;

  private static final int IDLE_SECONDS = 10;

  private final int places;
  private final int mostOfOneTask;
  private final ThreadPoolExecutor threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Waiting> ready = new PriorityQueue<>();
  private final Map<TaskId, OfOneTask> byTask = new HashMap<>();
  private long count;
  private int taken;
  private int on;
  private boolean closed;

  /**
   * @param places how many attempts may be made at a time
   * @param mostOfOneTask how many firings of a single task may be on
   */
  FiringThreads(int places, int mostOfOneTask) {
    this.places = places;
    this.mostOfOneTask = mostOfOneTask;
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE, // there are no more than are given to it at a time
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            VirtualThreads.factory("firing").orElseGet(() -> Threads.numbered("firing")));
  }

  /** What is to be done for a notice. */
  interface Firing {
    /**
     * Fires.
     *
     * @param attemptIsOver to be run when the attempt is over, so that the next may begin; no
     *     matter how often, and not at all if nothing is left to do then
     */
    void fire(Runnable attemptIsOver);
  }

  /** A firing and its place among others. */
  private record Waiting(Notice notice, long number, Firing firing) implements Comparable<Waiting> {

    private static final Comparator<Waiting> ORDER =
        Comparator.comparing((Waiting waiting) -> waiting.notice.priority())
            .thenComparing(waiting -> waiting.notice.runAt())
            .thenComparing(Waiting::number);

    @Override
    public int compareTo(Waiting other) {
      return ORDER.compare(this, other);
    }
  }

  /** What a task has on, and what has to wait for that. Guarded by the lock. */
  private static final class OfOneTask {
    private final Queue<Waiting> waiting = new PriorityQueue<>();
    private int on;
  }

  /**
   * @throws RejectedExecutionException after {@link #close}
   */
  void execute(Notice notice, Firing firing) {
    lock.lock();
    try {
      if (closed) {
        throw new RejectedExecutionException("nothing begins any more");
      }
      Waiting waiting = new Waiting(notice, ++count, firing);
      OfOneTask own = byTask.computeIfAbsent(notice.task(), any -> new OfOneTask());
      if (own.on < mostOfOneTask) {
        own.on++;
        ready.add(waiting);
        beginWhatMay();
      } else {
        own.waiting.add(waiting);
      }
    } finally {
      lock.unlock();
    }
  }

  /** With the lock. */
  private void beginWhatMay() {
    while (!ready.isEmpty() && taken < places && on < places * ON_FOR_EACH_PLACE) {
      Waiting next = ready.remove();
      taken++;
      on++;
      threads.execute(() -> run(next));
    }
  }

  private void run(Waiting waiting) {
    Place place = new Place();
    try {
      waiting.firing.fire(place::leave);
    } finally {
      lock.lock();
      try {
        on--;
        place.leave();
        hasEnded(waiting.notice.task());
        beginWhatMay();
      } finally {
        lock.unlock();
      }
    }
  }

  /** With the lock. */
  private void hasEnded(TaskId task) {
    OfOneTask own = byTask.get(task);
    if (own == null) {
      return; // nothing begins any more
    }
    if (own.waiting.isEmpty()) {
      own.on--;
      if (own.on == 0) {
        byTask.remove(task);
      }
    } else {
      ready.add(own.waiting.remove());
    }
  }

  /** That of an attempt among those that are made at a time. */
  private final class Place {
    private boolean left;

    void leave() {
      lock.lock();
      try {
        if (!left) {
          left = true;
          taken--;
          beginWhatMay();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Begins nothing any more; what has not begun is forgotten. */
  void close() {
    lock.lock();
    try {
      closed = true;
      ready.clear();
      byTask.clear();
      threads.shutdown();
    } finally {
      lock.unlock();
    }
  }

  /** The same; and interrupts what is on. */
  void closeNow() {
    close();
    List<Runnable> unused = threads.shutdownNow();
  }

  boolean awaitEnd(long millis) throws InterruptedException {
    return threads.awaitTermination(millis, TimeUnit.MILLISECONDS);
  }
}
