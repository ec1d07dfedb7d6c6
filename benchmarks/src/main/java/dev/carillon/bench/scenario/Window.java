package dev.carillon.bench.scenario;

import dev.carillon.bench.machine.ProcessGroup;
import dev.carillon.bench.process.Wait;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * What happened while something ran at full speed.
 *
 * @param perSecond how much was counted a second
 * @param cpuMillisEach what each took of the CPUs, over all processes
 */
record Window(double perSecond, double cpuMillisEach) {

  /** Looks on for that long. */
  static Window over(Duration time, ProcessGroup processes, LongSupplier count) {
    double cpuBefore = processes.totalCpuMillis();
    long countBefore = count.getAsLong();
    long begin = System.nanoTime();
    Wait.until(Instant.now().plus(time));
    long counted = count.getAsLong() - countBefore;
    double seconds = (System.nanoTime() - begin) / 1e9;
    double cpu = processes.totalCpuMillis() - cpuBefore;
    return new Window(counted / seconds, cpu / Math.max(1, counted));
  }
}
