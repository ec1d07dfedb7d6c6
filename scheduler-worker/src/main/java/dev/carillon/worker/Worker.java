package dev.carillon.worker;

import dev.carillon.flow.Firing;
import dev.carillon.flow.Sweep;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.StoreClock;
import dev.carillon.queue.PendingQueues;
import dev.carillon.queue.WorkQueue;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Chain;
import dev.carillon.worker.action.ActionHandlers;
import java.time.Duration;

/**
 * A worker: takes notices, runs what is due, and sweeps. The store and the queues are given and are
 * not closed with it.
 */
public final class Worker implements AutoCloseable {

  /** Notices that are early by more than this are parked again. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(30);

  /** RabbitMQ takes back what is not acknowledged within 30 minutes by default. */
  private static final Duration ACK_EARLY_FROM = Duration.ofMinutes(10);

  private static final int SWEEP_BATCH = 100;

  private final AttemptRunner runner;
  private final Intake intake;
  private final SweepLoop sweeps;

  /**
   * @param name unlike that of any other or earlier worker
   * @param retention how long archived sub-tasks are kept
   * @param grace how long running sub-tasks may go on when it is closed
   */
  public Worker(
      String name,
      TaskStore store,
      PendingQueues pending,
      WorkQueue workQueue,
      Chain chain,
      ActionHandlers handlers,
      StoreClock clock,
      SchedulerMetrics metrics,
      WorkerSettings settings,
      Duration retention,
      Duration grace) {
    this.runner = new AttemptRunner(store, clock, settings.lease(), handlers);
    Firing firing =
        new Firing(
            store,
            pending,
            chain,
            clock,
            time -> Thread.sleep(time.toMillis()),
            runner,
            metrics,
            new Firing.Settings(name, settings.lease(), LONGEST_HOLD, ACK_EARLY_FROM));
    this.intake =
        new Intake(
            workQueue,
            firing,
            clock,
            runner,
            settings.concurrency(),
            settings.prefetch(),
            grace);
    Sweep sweep = new Sweep(store, pending, chain, clock, metrics, SWEEP_BATCH);
    this.sweeps =
        new SweepLoop(sweep, store, clock, metrics, settings.sweepInterval(), retention);
  }

  /** Returns at once; what is needed from outside may come later. */
  public void start() {
    runner.start();
    sweeps.start();
    intake.start();
  }

  /** Whether notices can arrive. */
  public boolean isConsuming() {
    return intake.isActive();
  }

  /** How many sub-tasks run now. */
  public int runningCount() {
    return runner.runningCount();
  }

  /**
   * Takes nothing more, gives back what has not started, lets what runs go on for the grace period
   * and hands the rest back. Idempotent.
   */
  @Override
  public void close() {
    intake.close();
    sweeps.close();
    runner.close();
  }
}
