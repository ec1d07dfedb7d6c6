package dev.carillon.task;

/**
 * What becomes of a sub-task of the schedule that falls due while another run of its task is on.
 */
public enum Overlap {
  /** It waits until the other has ended. */
  WAIT,
  /** It is skipped, however soon the other ends. */
  SKIP,
  /** It runs beside the other. */
  ALLOW
}
