package dev.carillon.config;

/** What kind of queue workers consume from. */
public enum WorkQueueType {
  /** Replicated; the choice for a broker of more than one node. */
  QUORUM,
  /** On one node. */
  CLASSIC
}
