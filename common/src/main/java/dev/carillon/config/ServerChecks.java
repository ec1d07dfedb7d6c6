package dev.carillon.config;

import dev.carillon.ops.HealthCheck;
import dev.carillon.ops.HealthState;
import dev.carillon.rabbit.RabbitQueues;
import dev.carillon.rabbit.RabbitState;
import dev.carillon.store.TaskStore;

/** How the servers that every process needs are asked how they are. */
public final class ServerChecks {

  private ServerChecks() {}

  /** Up when the store answers. */
  public static HealthCheck of(TaskStore store) {
    return () -> HealthState.up("its time is " + store.now());
  }

  /** Up when notices can be parked and taken. */
  public static HealthCheck of(RabbitQueues queues) {
    return () -> {
      RabbitState state = queues.state();
      return new HealthState(state.isConnected(), state.toString());
    };
  }
}
