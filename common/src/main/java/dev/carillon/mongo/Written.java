package dev.carillon.mongo;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import java.util.Optional;

/**
 * What became of one of several writes.
 *
 * @param done whether it has changed something
 * @param failure why that cannot be told, if the server could not deal with it
 */
record Written(boolean done, Optional<RuntimeException> failure) {

  static Written of(boolean done) {
    return new Written(done, Optional.empty());
  }

  /** One that was refused: as expected if there was something with the same id already. */
  static Written refused(BulkWriteError error, MongoBulkWriteException failure) {
    return error.getCategory() == ErrorCategory.DUPLICATE_KEY
        ? of(false)
        : new Written(false, Optional.of(failure));
  }

  boolean orThrow() {
    if (failure.isPresent()) {
      throw failure.get();
    }
    return done;
  }
}
