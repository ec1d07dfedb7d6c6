package dev.carillon.worker;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads with names that tell in a dump what they are for. */
final class Threads {

  private Threads() {}

  /** Daemon threads {@code name-1}, {@code name-2} … */
  static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
