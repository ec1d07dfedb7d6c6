package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;

/** How firings are parked, as far as planning has to know. */
public interface Parking {

  /** Firings further away than this wait in the store and are parked later. */
  Duration horizon();

  /**
   * The name of the queue that an attempt is to wait in. For the same arguments it is the same; no
   * two armings of a task share one, since each has its own token.
   *
   * @param attempt number of the attempt that will be made, from 1
   * @param runAt when it is meant to start
   */
  String queueFor(TaskId task, long index, int attempt, Instant runAt, long token);
}
