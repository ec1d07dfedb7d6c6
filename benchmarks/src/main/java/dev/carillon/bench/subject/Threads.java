package dev.carillon.bench.subject;

import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Doing the same on several threads at a time. */
final class Threads {

  private Threads() {}

  /** What each thread does. */
  interface Work {
    void run() throws Exception;
  }

  /**
   * Returns when all have done it.
   *
   * @throws IllegalStateException if one has failed
   */
  static void runAll(int threads, Work work) {
    Callable<Void> call =
        () -> {
          work.run();
          return null;
        };
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (Future<Void> done : executor.invokeAll(Collections.nCopies(threads, call))) {
        done.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      executor.shutdownNow();
    }
  }
}
