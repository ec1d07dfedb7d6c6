package dev.carillon.schedule;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/** What a computation costs, however busy the machine is otherwise. */
final class CpuTime {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private CpuTime() {}

  /** Nanoseconds of processor time that this thread has used. */
  static long now() {
    return THREADS.getCurrentThreadCpuTime();
  }

  static Duration since(long begin) {
    return Duration.ofNanos(now() - begin);
  }
}
