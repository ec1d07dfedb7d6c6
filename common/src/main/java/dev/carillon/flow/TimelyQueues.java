package dev.carillon.flow;

import dev.carillon.ops.StoreClock;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Pending queues that take nothing while the clock of this process cannot be relied on. As while
 * the broker is away, nothing is swept then, and what should be parked is left to the next sweep of
 * somebody whose clock is right. Thread-safe.
 */
public final class TimelyQueues implements PendingQueues {

  private final PendingQueues queues;
  private final StoreClock clock;

  public TimelyQueues(PendingQueues queues, StoreClock clock) {
    this.queues = queues;
    this.clock = clock;
  }

  @Override
  public List<ParkAnswer> park(Collection<Notice> notices) {
    if (clock.isReliable()) {
      return queues.park(notices);
    }
    ParkAnswer refusal =
        new ParkAnswer.NotParked("the clock cannot be relied on: " + clock.state().detail());
    return notices.stream().map(notice -> refusal).toList();
  }

  @Override
  public void remove(Collection<String> names) {
    queues.remove(names);
  }

  @Override
  public boolean isInProcess() {
    return queues.isInProcess();
  }

  @Override
  public boolean isAvailable() {
    return clock.isReliable() && queues.isAvailable();
  }

  @Override
  public Place placeFor(Arming arming, Instant now) {
    return queues.placeFor(arming, now);
  }

  @Override
  public void close() {
    queues.close();
  }
}
