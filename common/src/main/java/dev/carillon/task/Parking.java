package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** How firings are parked, as far as planning has to know. Thread-safe. */
public interface Parking {

  /**
   * Where an attempt is to wait for its time, if that is decided now. The answer may be another one
   * for the same arming later: what counts is the one that gets stored.
   */
  Place placeFor(Arming arming, Instant now);

  /**
   * A wish to have an attempt made.
   *
   * @param attempt number of the attempt that will be made, from 1
   * @param runAt when it is meant to start
   * @param token unlike that of any other arming of the task
   */
  record Arming(TaskId task, long index, int attempt, Instant runAt, long token) {

    public Arming {
      Objects.requireNonNull(task, "task");
      Objects.requireNonNull(runAt, "runAt");
    }
  }

  /** Where an attempt waits. */
  sealed interface Place {

    /**
     * In a queue.
     *
     * @param name of the queue
     * @param isOwn whether nothing but this arming ever waits in it; it can be taken away then
     */
    record InQueue(String name, boolean isOwn) implements Place {

      public InQueue {
        Objects.requireNonNull(name, "name");
      }
    }

    /**
     * In the store: it is too far away for a queue.
     *
     * @param until when it is to be decided again
     */
    record InStore(Instant until) implements Place {

      public InStore {
        Objects.requireNonNull(until, "until");
      }
    }
  }

  /** In the queue if the attempt is no further away than the horizon, else in the store. */
  static Place within(Duration horizon, Instant runAt, Instant now, Place.InQueue queue) {
    Instant parkFrom = runAt.minus(horizon);
    return now.isBefore(parkFrom) ? new Place.InStore(parkFrom) : queue;
  }
}
