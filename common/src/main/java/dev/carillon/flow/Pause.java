package dev.carillon.flow;

import java.time.Duration;

/** Waits. */
public interface Pause {

  /**
   * Returns after the given time.
   *
   * @throws InterruptedException when the waiting is to be given up
   */
  void await(Duration time) throws InterruptedException;
}
