package dev.carillon.mongo;

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
          // reached too few servers to count as stored
          MongoWriteConcernException.class);

  private Availability() {}

  static boolean isAway(RuntimeException failure) {
    return failure instanceof MongoException e
        && (AWAY.stream().anyMatch(type -> type.isInstance(e))
            || e.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)
            || e.hasErrorLabel("RetryableWriteError"));
  }
}
