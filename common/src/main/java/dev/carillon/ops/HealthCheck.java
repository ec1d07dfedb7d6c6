package dev.carillon.ops;

/** Asks one dependency how it is. Thread-safe. */
@FunctionalInterface
public interface HealthCheck {

  /**
   * Asks now. May take its time: {@link Health} does not wait for it for long.
   *
   * @throws Exception the dependency is down, for the reason in the message
   */
  HealthState check() throws Exception;
}
