package dev.carillon.bench.scenario;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param rounds how often everything is measured; figures are medians
 * @param warmUp how many jobs each subject runs before it is measured, since its code is compiled
 *     meanwhile, which takes a lot of the CPUs
 * @param creates how many jobs are created one by one with one thread, and with eight
 * @param jobs how many are all due at once
 * @param burst how many are due within the same second
 * @param rates jobs a second
 * @param rateTime how long each rate is kept up
 * @param loadTime how long loops and growth are looked at
 * @param pending numbers of pending jobs, growing
 * @param workers numbers of worker processes
 * @param mostQueues how many queues the broker may have to hold at a time
 */
public record Size(
    int rounds,
    int warmUp,
    int creates,
    int jobs,
    int burst,
    List<Integer> rates,
    Duration rateTime,
    Duration loadTime,
    List<Integer> pending,
    List<Integer> workers,
    int mostQueues) {

  /** For figures that are to be published. */
  public static Size full() {
    return new Size(
        3,
        20_000,
        1_000,
        20_000,
        10_000,
        List.of(50, 200, 1_000),
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        List.of(1_000, 10_000, 100_000, 1_000_000),
        List.of(1, 2, 4),
        6_000);
  }

  /** To see whether everything works, in some minutes. The figures say little. */
  public static Size quick() {
    return new Size(
        1,
        500,
        100,
        1_000,
        500,
        List.of(50, 200),
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        List.of(500),
        List.of(1, 2),
        1_000);
  }
}
