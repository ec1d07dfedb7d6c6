package dev.carillon.task;

import java.util.Objects;

/**
 * How many attempts of tasks with the same key may run at a time, over all workers.
 *
 * @param key what the tasks have in common
 * @param limit an attempt starts only while fewer than so many run; tasks with the same key may
 *     have different limits
 */
public record Concurrency(String key, int limit) {

  public static final int MAX_KEY_LENGTH = 200;
  public static final int MOST = 1_000;

  public Concurrency {
    Objects.requireNonNull(key, "key");
    if (limit < 1 || limit > MOST) {
      throw new IllegalArgumentException("a limit is from 1 to " + MOST + ": " + limit);
    }
  }
}
