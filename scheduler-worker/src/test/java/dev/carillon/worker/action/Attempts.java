package dev.carillon.worker.action;

import dev.carillon.task.TaskId;
import dev.carillon.worker.action.ActionHandler.Attempt;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Attempts for tests. */
final class Attempts {

  static final TaskId TASK = new TaskId("01kd5xyzzzzzzzzzzzzzzzzzzz");
  static final Instant DUE_AT = Instant.parse("2027-01-04T08:00:00Z");

  private Attempts() {}

  static Attempt attempt(long index, int number, Duration timeout) {
    return new Attempt(TASK, "task", Map.of("owner", "me"), index, number, DUE_AT, 12, timeout);
  }
}
