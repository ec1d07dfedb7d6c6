package dev.carillon.bench.subject;

import dev.carillon.bench.machine.ProcessGroup;
import dev.carillon.bench.measure.Starts;
import java.util.OptionalDouble;

/**
 * Something that runs jobs when they are due, in processes of its own, with an empty store. Not
 * thread-safe.
 */
public interface Subject extends AutoCloseable {

  /** What it keeps its jobs in, as figures name it. */
  String store();

  /** Creates jobs one by one with so many threads; returns the seconds that it took. */
  double create(Jobs jobs, int threads);

  /** Creates jobs by the thousand; returns the seconds that it took, or empty if it cannot. */
  OptionalDouble createBatch(Jobs jobs);

  /** What has started so far, up to a tenth of a second ago. */
  Starts starts();

  /** All processes that do its work. */
  ProcessGroup processes();

  /** Whether CPU figures lack a server, since its processes are not known. */
  boolean lacksStoreCpu();

  /** How many jobs may wait at a time without anything breaking. */
  int mostWaiting();

  /**
   * Does nothing if all of its processes are there.
   *
   * @throws IllegalStateException if a process has ended, with the end of its output
   */
  void requireAlive();

  /** Ends its processes and removes what it has stored. */
  @Override
  void close();
}
