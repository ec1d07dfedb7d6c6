package dev.carillon.mongo;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoServerUnavailableException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import java.util.List;

/** Tells a store that is away for the moment from one that refuses what it is asked for. */
final class Availability {

  private static final List<Class<? extends MongoException>> AWAY =
      List.of(
          MongoTimeoutException.class,
          MongoExecutionTimeoutException.class,
          MongoSocketException.class,
          MongoServerUnavailableException.class,
          MongoConnectionPoolClearedException.class,
          MongoNotPrimaryException.class,
          MongoNodeIsRecoveringException.class,
          MongoWriteConcernException.class);

  /** Set by the driver or the server on what a step-down or a lost connection brings about. */
  private static final String RETRYABLE = "RetryableWriteError";

  private Availability() {}

  static boolean isAway(RuntimeException failure) {
    return failure instanceof MongoException e
        && (AWAY.stream().anyMatch(type -> type.isInstance(e))
            || e.hasErrorLabel(RETRYABLE)
            || hasReachedTooFew(e));
  }

  /** A write that too few servers have to count as stored. */
  private static boolean hasReachedTooFew(MongoException failure) {
    return failure instanceof MongoBulkWriteException bulk && bulk.getWriteConcernError() != null;
  }
}
