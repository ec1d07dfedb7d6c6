package dev.carillon.ops;

import java.util.Objects;

/**
 * How a dependency is.
 *
 * @param detail for people; shown to whoever may ask for the health, so free of secrets
 */
public record HealthState(boolean isUp, String detail) {

  private static final int MAX_DETAIL_LENGTH = 300;

  public HealthState {
    Objects.requireNonNull(detail, "detail");
    if (detail.length() > MAX_DETAIL_LENGTH) {
      detail = detail.substring(0, MAX_DETAIL_LENGTH - 1) + "…";
    }
  }

  public static HealthState up(String detail) {
    return new HealthState(true, detail);
  }

  public static HealthState down(String detail) {
    return new HealthState(false, detail);
  }
}
