package dev.carillon.api;

import dev.carillon.ops.Threads;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Carries out what needs the store, on a bounded number of threads of its own and with a time
 * limit: a store that hangs takes neither the threads that answer everything else nor the patience
 * of whoever asks. Thread-safe.
 */
final class Bulkhead implements AutoCloseable {

  private static final int WAITING_PER_THREAD = 4;

  private final ThreadPoolExecutor threads;
  private final Duration limit;

  Bulkhead(int size, Duration limit) {
    this.limit = limit;
    this.threads =
        new ThreadPoolExecutor(
            size,
            size,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(size * WAITING_PER_THREAD),
            Threads.numbered("api"));
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Fails with {@link java.util.concurrent.TimeoutException} when the limit has passed, which does
   * not end the work, and with {@link RejectedExecutionException} when too much is waiting already.
   *
   * @param end is run when the work has ended, or will not begin
   */
  CompletableFuture<Answer> call(Supplier<Answer> work, Runnable end) {
    try {
      CompletableFuture<Answer> working = CompletableFuture.supplyAsync(work, threads);
      CompletableFuture<Answer> unused = working.whenComplete((answer, failure) -> end.run());
      return working.copy().orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException full) {
      end.run();
      return CompletableFuture.failedFuture(full);
    }
  }

  /** What is being carried out goes on to its end; nothing new is. */
  @Override
  public void close() {
    threads.shutdown();
  }
}
