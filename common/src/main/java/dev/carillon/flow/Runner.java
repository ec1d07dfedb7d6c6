package dev.carillon.flow;

import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.task.Outcome;

/** Carries out a task's action. Thread-safe. */
public interface Runner {

  /**
   * Runs one attempt and keeps its claim alive meanwhile. Whatever goes wrong in the action is an
   * outcome, not an exception. When the calling thread is interrupted, the attempt is given up and
   * the outcome is {@link Outcome.HandedBack}.
   */
  Outcome run(Won won);
}
