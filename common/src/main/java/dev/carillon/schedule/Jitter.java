package dev.carillon.schedule;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Spreads firings that are due at the same instant. The spread is drawn from a hash of the key and
 * not from a random number, so that every process, now and after an upgrade, computes the same.
 */
record Jitter(Duration limit) {

  static final Jitter NONE = new Jitter(Duration.ZERO);

  private static final long FNV_OFFSET_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  Duration forKey(String key) {
    return Duration.ofMillis(Long.remainderUnsigned(hash(key), limit.toMillis() + 1));
  }

  /** FNV-1a, finished as in MurmurHash3, since keys often differ in their last digit only. */
  private static long hash(String key) {
    long hash = FNV_OFFSET_BASIS;
    for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * FNV_PRIME;
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return hash ^ (hash >>> 33);
  }
}
