package dev.carillon.config;

import dev.carillon.ops.Environment;

/** Whether what happens to tasks is published. */
public final class EventSettings {

  private enum Switch {
    ON,
    OFF
  }

  private EventSettings() {}

  /** Reads the setting. */
  public static boolean read(Environment environment) {
    return environment.choice(
            "EVENTS",
            Switch.ON,
            "Whether what happens to tasks is published to the exchange `<AMQP_PREFIX>.events`")
        == Switch.ON;
  }
}
