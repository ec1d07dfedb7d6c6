package dev.carillon.embedded;

import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.ValueComparator;
import de.bwaldvogel.mongo.bson.ObjectId;
import java.time.Instant;
import java.util.UUID;

/**
 * The order of values in an index: MongoDB's for plain ones, with nothing and null first. All
 * others are equal and last; filters on those are not answered from an index.
 */
final class IndexOrder {

  private static final ValueComparator MONGODB_ORDER = ValueComparator.asc();

  private IndexOrder() {}

  static int compare(Object a, Object b) {
    return isPlain(a) && isPlain(b)
        ? compareExactly(a, b)
        : Boolean.compare(isPlain(b), isPlain(a));
  }

  /** The order of positions, which have to differ if the documents do. */
  static int compareExactly(Object a, Object b) {
    if (a instanceof String x && b instanceof String y) {
      return x.compareTo(y);
    }
    if (a instanceof Instant x && b instanceof Instant y) {
      return x.compareTo(y);
    }
    return MONGODB_ORDER.compare(a, b);
  }

  static boolean isPlain(Object value) {
    return value == null || value instanceof Missing || isComparable(value);
  }

  /** Whether an index can answer a filter on this value: not null, which a missing field equals. */
  static boolean isComparable(Object value) {
    return value instanceof String
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof Instant
        || value instanceof ObjectId
        || value instanceof UUID;
  }

  /** A value as index keys have it: all numbers that are equal become one. */
  static Object normalized(Object value) {
    return new KeyValue(value).normalized().get(0);
  }
}
