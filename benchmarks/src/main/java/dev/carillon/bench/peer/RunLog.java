package dev.carillon.bench.peer;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What jobs do: write the line that Carillon's action {@code log} writes, with as much in it, so
 * that all that are compared pay the same for being observed.
 */
public final class RunLog {

  private static final Logger log = LoggerFactory.getLogger(RunLog.class);

  private RunLog() {}

  /**
   * Says that a job has started.
   *
   * @param key {@code batch_index}
   */
  public static void started(String key, Instant dueAt) {
    int separator = key.lastIndexOf('_');
    String batch = key.substring(0, separator);
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("X-Carillon-Task-Id", key);
    headers.put("X-Carillon-Index", "0");
    headers.put("X-Carillon-Attempt", "1");
    headers.put("X-Carillon-Due-At", dueAt.toString());
    headers.put("X-Carillon-Fencing-Token", "1");
    log.info("\"{}\": {} {}", batch, key, headers);
  }
}
