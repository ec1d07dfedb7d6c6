package dev.carillon.rabbit;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Named threads that do not keep a process alive. */
final class Threads {

  private Threads() {}

  static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  static ThreadFactory numbered(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> named(prefix + "-" + number.incrementAndGet()).newThread(task);
  }

  /** One thread that does things at their time; nothing after it is shut down. */
  static ScheduledThreadPoolExecutor scheduler(String name) {
    ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, named(name));
    scheduler.setRemoveOnCancelPolicy(true);
    scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return scheduler;
  }
}
