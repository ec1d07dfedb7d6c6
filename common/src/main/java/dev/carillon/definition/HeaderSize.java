package dev.carillon.definition;

import dev.carillon.task.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * How many bytes the headers of an AMQP message take at most on the wire. They go in one frame,
 * which the broker limits to 128 kB unless it is configured otherwise. Pure.
 */
final class HeaderSize {

  /** Leaves room for the properties and for the headers that Carillon adds. */
  static final int LIMIT = 64 * 1024;

  /** A type and a length. */
  private static final long PREFIX = 5;

  /** A type and eight bytes: no number needs more, but for decimals, which need no more either. */
  private static final long SCALAR = 9;

  private HeaderSize() {}

  static long of(Map<?, ?> table) {
    long size = PREFIX;
    for (Map.Entry<?, ?> entry : table.entrySet()) {
      size += 1 + utf8(String.valueOf(entry.getKey())) + ofValue(entry.getValue());
    }
    return size;
  }

  private static long ofValue(Object value) {
    if (value instanceof String text) {
      return PREFIX + utf8(text);
    }
    if (value instanceof Bytes bytes) {
      return PREFIX + bytes.toArray().length;
    }
    if (value instanceof Map<?, ?> table) {
      return of(table);
    }
    if (value instanceof List<?> list) {
      long size = PREFIX;
      for (Object element : list) {
        size += ofValue(element);
      }
      return size;
    }
    return SCALAR;
  }

  private static long utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
