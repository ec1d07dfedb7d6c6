package dev.carillon.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Threads that do the same thing at the same time, again and again. */
final class Race implements AutoCloseable {

  private final int runners;
  private final ExecutorService threads;

  Race(int runners) {
    this.runners = runners;
    this.threads = Executors.newFixedThreadPool(runners);
  }

  /** What each of the runners, by its number, came out with. */
  <T> List<T> run(IntFunction<T> task) throws Exception {
    CyclicBarrier start = new CyclicBarrier(runners);
    List<Future<T>> futures = new ArrayList<>();
    for (int i = 0; i < runners; i++) {
      int runner = i;
      futures.add(
          threads.submit(
              () -> {
                start.await(30, TimeUnit.SECONDS);
                return task.apply(runner);
              }));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      results.add(future.get(60, TimeUnit.SECONDS));
    }
    return results;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
