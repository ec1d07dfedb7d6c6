package dev.carillon.task;

import java.util.Base64;
import java.util.Objects;

/**
 * Bytes as a value.
 *
 * @param base64 in the basic alphabet of RFC 4648, with padding
 */
public record Bytes(String base64) {

  /**
   * @throws IllegalArgumentException if it is not base 64
   */
  public Bytes {
    Objects.requireNonNull(base64, "base64");
    Base64.getDecoder().decode(base64);
  }

  public static Bytes of(byte[] bytes) {
    return new Bytes(Base64.getEncoder().encodeToString(bytes));
  }

  /** A copy of them. */
  public byte[] toArray() {
    return Base64.getDecoder().decode(base64);
  }
}
