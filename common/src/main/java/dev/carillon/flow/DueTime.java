package dev.carillon.flow;

import dev.carillon.definition.MessageDefinition;
import dev.carillon.task.Action;
import dev.carillon.task.TaskDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When a message is to be delivered. */
sealed interface DueTime {

  /** So long after it has come in; zero is at once. */
  record After(Duration delay) implements DueTime {}

  /** At an instant, or at once if that has passed. */
  record At(Instant instant) implements DueTime {}

  /**
   * Again and again.
   *
   * @param json the fields of a schedule
   */
  record Recurring(String json) implements DueTime {}

  /** The instant for a message that has come in then, and not before that; empty for several. */
  default Optional<Instant> from(Instant then) {
    if (this instanceof Recurring) {
      return Optional.empty();
    }
    Instant due = this instanceof At at ? at.instant() : then.plus(((After) this).delay());
    return Optional.of(due.isBefore(then) ? then : due);
  }

  /** Whether there is nothing to wait for. */
  default boolean isOver(Instant now) {
    return from(now).filter(due -> !due.isAfter(now)).isPresent();
  }

  /**
   * A task that publishes the message, which came in then. There is always something to come.
   *
   * @throws IllegalArgumentException when it cannot be understood
   */
  default TaskDefinition definition(Action.Amqp message, Instant then, Optional<String> key) {
    if (this instanceof Recurring recurring) {
      return MessageDefinition.recurring(message, recurring.json(), then, key);
    }
    Instant due = from(then).orElseThrow();
    Instant soonest = then.plusMillis(1);
    return MessageDefinition.once(message, due.isBefore(soonest) ? soonest : due, key);
  }
}
