package dev.carillon.bench.peer;

import java.time.Instant;

/** What JobRunr runs: it stores the call of a public method of a public class. */
public final class JobRunrJob {

  private JobRunrJob() {}

  /** Does nothing but say that it has started. */
  public static void run(String key, long dueAtMillis) {
    RunLog.started(key, Instant.ofEpochMilli(dueAtMillis));
  }
}
