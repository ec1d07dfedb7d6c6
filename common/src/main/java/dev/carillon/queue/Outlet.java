package dev.carillon.queue;

import dev.carillon.task.Action;
import java.util.List;

/** Publishes messages at once. Thread-safe. */
@FunctionalInterface
public interface Outlet {

  /**
   * Publishes in the order given and waits for the broker.
   *
   * @return for each whether it is in a queue for sure
   */
  List<Boolean> publish(List<Action.Amqp> messages);
}
