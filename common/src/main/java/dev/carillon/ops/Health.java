package dev.carillon.ops;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;

/**
 * Whether a process can do its work, from checks of everything that it depends on. The checks run
 * on threads of their own, each at most once at a time, and their results are kept for a moment: a
 * dependency that hangs delays no answer beyond the time limit, and being asked often costs
 * nothing. Thread-safe.
 */
public final class Health implements AutoCloseable {

  private static final Duration STANDARD_LIMIT = Duration.ofSeconds(2);
  private static final Duration STANDARD_FRESHNESS = Duration.ofSeconds(1);

  private final Map<String, WatchedCheck> checks = new LinkedHashMap<>();
  private final ExecutorService threads;

  /** With a limit of two seconds for all checks, and results kept for one second. */
  public Health(Map<String, HealthCheck> checks) {
    this(checks, STANDARD_LIMIT, STANDARD_FRESHNESS, System::nanoTime);
  }

  /**
   * @param limit after which a check that has not answered counts as down
   * @param freshness how long a result is kept
   * @param nanos elapsed time, as {@link System#nanoTime} has it
   */
  Health(Map<String, HealthCheck> checks, Duration limit, Duration freshness, LongSupplier nanos) {
    this.threads = Executors.newCachedThreadPool(Threads.numbered("health"));
    checks.forEach(
        (name, check) ->
            this.checks.put(name, new WatchedCheck(check, limit, freshness, nanos, threads)));
  }

  /** The state of every dependency; answers within the time limit, whatever they do. */
  public HealthReport report() {
    // all are asked before the first is waited for
    List<WatchedCheck.Pending> pending = new ArrayList<>();
    checks.values().forEach(check -> pending.add(check.ask()));
    Map<String, HealthState> states = new LinkedHashMap<>();
    int position = 0;
    for (String name : checks.keySet()) {
      states.put(name, pending.get(position++).await());
    }
    return new HealthReport(states);
  }

  /** Interrupts the checks that still run. Reports are no longer to be asked for. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
