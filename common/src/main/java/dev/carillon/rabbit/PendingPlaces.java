package dev.carillon.rabbit;

import dev.carillon.task.Parking;
import java.time.Duration;
import java.time.Instant;

/**
 * Chooses where firings wait: in a queue of their own while the budget lasts, else in their slot of
 * the wheel, or in the store while they are too far away for either. Thread-safe.
 */
final class PendingPlaces implements Parking {

  private final Topology topology;
  private final PendingShape shape;
  private final Wheel wheel;
  private final Duration horizon;
  private final OwnQueueBudget budget;

  /**
   * @param horizon of own queues
   */
  PendingPlaces(Topology topology, PendingShape shape, Duration horizon, OwnQueueBudget budget) {
    this.topology = topology;
    this.shape = shape;
    this.wheel = shape.wheel();
    this.horizon = horizon;
    this.budget = budget;
  }

  @Override
  public Place placeFor(Arming arming, Instant now) {
    return switch (shape.mode()) {
      case OWN -> Parking.within(horizon, arming.runAt(), now, ownQueue(arming));
      case WHEEL -> onWheel(arming, now);
      case AUTO -> wherever(arming, now);
    };
  }

  private Place wherever(Arming arming, Instant now) {
    Instant ownFrom = arming.runAt().minus(horizon);
    if (now.isBefore(ownFrom)) {
      Instant wheelFrom = wheel.openFrom(arming.runAt());
      return wheelFrom.isBefore(ownFrom) ? onWheel(arming, now) : new Place.InStore(ownFrom);
    }
    boolean isDue = !now.isBefore(arming.runAt()); // needs no queue, so it must not cost one
    return !isDue && budget.take(now) ? ownQueue(arming) : onWheel(arming, now);
  }

  private Place onWheel(Arming arming, Instant now) {
    Instant from = wheel.openFrom(arming.runAt());
    return now.isBefore(from) ? new Place.InStore(from) : slot(arming.runAt());
  }

  private Place.InQueue ownQueue(Arming arming) {
    return new Place.InQueue(topology.pendingQueue(arming), true);
  }

  private Place.InQueue slot(Instant runAt) {
    return new Place.InQueue(topology.slotQueue(wheel.slotOf(runAt)), false);
  }
}
