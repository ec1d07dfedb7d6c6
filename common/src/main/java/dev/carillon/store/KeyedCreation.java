package dev.carillon.store;

import dev.carillon.task.KeyedRequest;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * The one creation of a task that an idempotency key stands for. With the request, it holds all
 * that the task is made from, so that whoever carries the creation out makes the same task.
 *
 * @param key chosen by the client
 * @param fingerprint tells the client's request from others
 * @param task id of the task, which may not be there yet
 * @param takenAt the present that the request is read with, in whole milliseconds; also the
 *     beginning of the key's life
 */
public record KeyedCreation(String key, String fingerprint, TaskId task, Instant takenAt) {

  /** How long a key stands for its creation. Then it is free, and may be forgotten. */
  public static final Duration LIFE = KeyedRequest.LIFE;

  public KeyedCreation {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(fingerprint, "fingerprint");
    Objects.requireNonNull(task, "task");
    takenAt = takenAt.truncatedTo(ChronoUnit.MILLIS);
  }

  /** Whether the key is free again. */
  public boolean isOver(Instant now) {
    return !now.isBefore(takenAt.plus(LIFE));
  }
}
