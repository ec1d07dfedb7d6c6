package dev.carillon.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/** Many runs of a simulation, each with a seed of its own. */
final class Seeds {

  /** More than one for each processor, for the actors of a run take turns, and turning is slow. */
  private static final int AT_A_TIME = 2 * Runtime.getRuntime().availableProcessors();

  private Seeds() {}

  /**
   * Runs the simulation with each of the seeds, some of them beside each other: runs share nothing,
   * so that each is what it would be alone.
   *
   * @param first seed; the others follow it
   * @param simulation thread-safe, throws when something is wrong
   * @throws AssertionError says which seed failed first, and how to run it alone
   */
  static void each(long first, int runs, LongConsumer simulation) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < AT_A_TIME; i++) {
        all.add(threads.submit(() -> runTheRest(first, next, runs, simulation)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause().getMessage(), e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private static void runTheRest(
      long first, AtomicInteger next, int runs, LongConsumer simulation) {
    for (int run = next.getAndIncrement(); run < runs; run = next.getAndIncrement()) {
      long seed = first + run;
      try {
        simulation.accept(seed);
      } catch (Throwable e) {
        next.set(runs); // the others need not go on
        throw new AssertionError("fails with -Dsimulation.runs=1 -Dsimulation.seed=" + seed, e);
      }
    }
  }
}
