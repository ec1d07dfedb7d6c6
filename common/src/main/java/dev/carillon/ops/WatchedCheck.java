package dev.carillon.ops;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** A check that runs at most once at a time and whose latest result is kept. Thread-safe. */
final class WatchedCheck {

  private final HealthCheck check;
  private final Duration limit;
  private final Duration freshness;
  private final LongSupplier nanos;
  private final Executor threads;
  private Pending latest;

  WatchedCheck(
      HealthCheck check, Duration limit, Duration freshness, LongSupplier nanos, Executor threads) {
    this.check = check;
    this.limit = limit;
    this.freshness = freshness;
    this.nanos = nanos;
    this.threads = threads;
  }

  /** Starts the check, unless it still runs or its result is fresh. */
  synchronized Pending ask() {
    if (latest == null || latest.isStale()) {
      latest = new Pending();
      latest.start();
    }
    return latest;
  }

  /** One run of the check. */
  final class Pending {

    private final CompletableFuture<HealthState> result = new CompletableFuture<>();
    private final long startedAt = nanos.getAsLong();
    private volatile long endedAt;

    private void start() {
      try {
        threads.execute(this::run);
      } catch (RejectedExecutionException closed) {
        end(HealthState.down("is shutting down"));
      }
    }

    private void run() {
      try {
        end(check.check());
      } catch (Exception e) {
        end(HealthState.down(e.getClass().getSimpleName() + ": " + e.getMessage()));
      } catch (Error e) {
        end(HealthState.down(e.toString()));
        throw e;
      }
    }

    private void end(HealthState state) {
      endedAt = nanos.getAsLong();
      result.complete(state);
    }

    private boolean isStale() {
      return result.isDone() && nanos.getAsLong() - endedAt >= freshness.toNanos();
    }

    /** The result; down if there is none within the limit, counted from the start of the run. */
    HealthState await() {
      long left = limit.toNanos() - (nanos.getAsLong() - startedAt);
      try {
        return result.get(Math.max(0, left), TimeUnit.NANOSECONDS);
      } catch (TimeoutException hanging) {
        return HealthState.down("no answer within " + limit);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return HealthState.down("the question was interrupted");
      } catch (ExecutionException impossible) {
        throw new IllegalStateException("runs end with a state", impossible);
      }
    }
  }
}
