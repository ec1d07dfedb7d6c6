package dev.carillon.flow;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.queue.PendingQueues;
import dev.carillon.store.TaskKeys;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Chain;
import java.time.InstantSource;
import java.util.Objects;

/**
 * What everything that is done with tasks works with.
 *
 * @param keys of the tasks in the store
 * @param chain decides what comes next, for the pending queues given
 * @param clock the present; the same for all processes as nearly as possible
 */
public record Ports(
    TaskStore store,
    TaskKeys keys,
    PendingQueues pending,
    ParkedMessages parked,
    Chain chain,
    InstantSource clock,
    SchedulerMetrics metrics) {

  public Ports {
    Objects.requireNonNull(store, "store");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(pending, "pending");
    Objects.requireNonNull(parked, "parked");
    Objects.requireNonNull(chain, "chain");
    Objects.requireNonNull(clock, "clock");
    Objects.requireNonNull(metrics, "metrics");
  }

  /** The same with another clock. */
  public Ports with(InstantSource other) {
    return new Ports(store, keys, pending, parked, chain, other, metrics);
  }
}
