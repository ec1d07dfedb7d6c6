package dev.carillon.rabbit;

import dev.carillon.rabbit.PendingShape.Mode;
import java.time.Duration;

/** With nothing but a wheel. */
final class RabbitWheelContractIT extends RabbitQueueContractIT {

  private static final PendingShape SHAPE =
      PendingShape.DEFAULT.withMode(Mode.WHEEL).withWheel(10, Duration.ofSeconds(1));

  @Override
  PendingShape shape() {
    return SHAPE;
  }

  @Override
  protected Duration lead() {
    return SHAPE.slot().plus(Wheel.MARGIN);
  }

  @Override
  protected Duration farAway() {
    return Duration.ofSeconds(8);
  }

  @Override
  protected boolean hasOwnQueues() {
    return false;
  }
}
