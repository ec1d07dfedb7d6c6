package dev.carillon.testkit;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** Waits until a process that was just started answers. */
final class Readiness {

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(50);

  /** An attempt to talk to a process that may not be listening yet. */
  interface Greeting {
    void attempt() throws IOException, TimeoutException;
  }

  private Readiness() {}

  /**
   * Returns after the first greeting that is answered.
   *
   * @throws IllegalStateException if the process ends instead, or takes too long and is killed for
   *     it; with the end of its log
   */
  static void await(String name, Process process, NodeFolder folder, Greeting greeting) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    Exception lastRefusal = null;
    while (System.nanoTime() < deadline && !Command.endsWithin(POLL, process)) {
      try {
        greeting.attempt();
        return;
      } catch (IOException | TimeoutException refused) {
        lastRefusal = refused;
      }
    }
    String state =
        process.isAlive()
            ? "was not ready within " + LIMIT.toSeconds() + " s"
            : "exited with " + process.exitValue();
    process.destroyForcibly();
    throw new IllegalStateException(
        name + " " + state + ". The end of its log:\n" + folder.logTail(), lastRefusal);
  }
}
