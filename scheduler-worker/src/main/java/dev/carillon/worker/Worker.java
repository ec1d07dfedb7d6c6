package dev.carillon.worker;

import dev.carillon.flow.Firing;
import dev.carillon.flow.Ports;
import dev.carillon.flow.Sweep;
import dev.carillon.ops.HealthState;
import dev.carillon.ops.StoreClock;
import dev.carillon.queue.WorkQueue;
import dev.carillon.worker.action.ActionHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A worker: takes notices, runs what is due, and sweeps. The store and the queues are given and are
 * not closed with it.
 */
public final class Worker implements AutoCloseable {

  /** Notices that are early by more than this are parked again. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(30);

  /** RabbitMQ takes back what is not acknowledged within 30 minutes by default. */
  private static final Duration ACK_EARLY_FROM = Duration.ofMinutes(10);

  /** As many as the store takes in one round trip: arming has to keep up with what falls due. */
  private static final int SWEEP_BATCH = 500;

  private final Rehearsal rehearsal;
  private final AttemptRunner runner;
  private final Intake intake;
  private final SweepLoop sweeps;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private boolean closed;

  /**
   * @param clock also the clock of the ports
   * @param name unlike that of any other or earlier worker
   */
  public Worker(
      Ports ports,
      WorkQueue workQueue,
      ActionHandlers handlers,
      StoreClock clock,
      WorkerSettings settings,
      String name) {
    this.rehearsal = new Rehearsal(ports, handlers);
    this.runner = new AttemptRunner(ports.store(), clock, settings.lease(), handlers);
    Firing firing =
        new Firing(
            ports,
            runner,
            this::pause,
            new Firing.Settings(name, settings.lease(), LONGEST_HOLD, ACK_EARLY_FROM));
    this.intake = new Intake(workQueue, firing, clock, runner, settings);
    this.sweeps = new SweepLoop(new Sweep(ports, SWEEP_BATCH), ports, clock, settings);
  }

  /** For whoever waits for the store: given up once the worker has stopped. */
  private void pause(Duration time) throws InterruptedException {
    if (stopped.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new InterruptedException("the worker has stopped");
    }
  }

  /**
   * Returns at once; what is needed from outside may come later. Does nothing once it is closed.
   */
  public synchronized void start() {
    if (!closed) {
      runner.start();
      sweeps.start();
      intake.start();
    }
  }

  /**
   * Loads what the first firing would otherwise have to wait for. Returns at once; what is needed
   * from outside need not be there.
   */
  public void rehearse() {
    rehearsal.start();
  }

  /** Up while notices can arrive. */
  public HealthState consumerState() {
    return intake.isActive()
        ? HealthState.up("takes notices")
        : HealthState.down("takes no notices from the work queue yet");
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
    synchronized (this) {
      closed = true;
    }
    intake.close();
    sweeps.close();
    runner.close();
    stopped.countDown();
  }
}
