package dev.carillon.queue;

import java.time.Instant;
import java.util.SortedMap;

/**
 * How many queues of their own the notices of all processes have, those of processes that are gone
 * included. Thread-safe.
 */
public interface QueueCensus {

  /** Of a process that nobody else has to reckon with. */
  QueueCensus ALONE = (mine, now) -> 0;

  /**
   * Puts on record how many there are, or may be, of this process, and asks for the others. What is
   * on record stays until its time, also if this process is gone by then.
   *
   * @param mine how many queues there are until when; replaces what was on record
   * @return how many of other processes there may be now
   */
  long exchange(SortedMap<Instant, Integer> mine, Instant now);
}
