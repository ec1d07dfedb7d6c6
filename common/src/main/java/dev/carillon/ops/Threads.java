package dev.carillon.ops;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads with names that tell in a dump what they are for; none keeps a process alive. */
public final class Threads {

  private Threads() {}

  /** All with the same name. */
  public static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** {@code prefix-1}, {@code prefix-2} … */
  public static ThreadFactory numbered(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> named(prefix + "-" + number.incrementAndGet()).newThread(task);
  }

  /** One thread that does things at their time; nothing after it is shut down. */
  public static ScheduledThreadPoolExecutor scheduler(String name) {
    ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, named(name));
    scheduler.setRemoveOnCancelPolicy(true);
    scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return scheduler;
  }
}
