package dev.carillon.bench.peer;

import java.util.List;

/** Another scheduler, used as its documentation recommends. Creating is thread-safe. */
interface Peer {

  /** Makes what it keeps its state in, and starts it. */
  void start() throws Exception;

  /** Returns when the job is stored. */
  void create(Job job) throws Exception;

  /** Creates them in the quickest way that it has; false if it has none but {@link #create}. */
  boolean createAll(List<Job> jobs) throws Exception;

  /** Stops running jobs and lets go of everything. */
  void stop() throws Exception;
}
