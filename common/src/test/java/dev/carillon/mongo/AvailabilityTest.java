package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcernResult;
import com.mongodb.WriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.WriteConcernError;
import dev.carillon.store.UnreadableTaskException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class AvailabilityTest {

  private static final ServerAddress ADDRESS = new ServerAddress();
  private static final WriteConcernError NOT_REPLICATED =
      new WriteConcernError(64, "WriteConcernTimeout", "waiting timed out", new BsonDocument());

  static List<RuntimeException> away() {
    MongoException stepDown = new MongoException(189, "primary stepped down");
    stepDown.addLabel("RetryableWriteError");
    return List.of(
        new MongoTimeoutException("no primary"),
        new MongoExecutionTimeoutException(50, "took too long"),
        new MongoSocketReadException("reset", ADDRESS, new IOException()),
        new MongoNotPrimaryException(new BsonDocument(), ADDRESS),
        new MongoNodeIsRecoveringException(new BsonDocument(), ADDRESS),
        new MongoWriteConcernException(
            NOT_REPLICATED, WriteConcernResult.unacknowledged(), ADDRESS, Set.of()),
        bulk(NOT_REPLICATED),
        stepDown);
  }

  static List<RuntimeException> refusing() {
    return List.of(
        new MongoCommandException(new BsonDocument(), ADDRESS),
        new MongoWriteException(
            new WriteError(121, "validation failed", new BsonDocument()), ADDRESS, Set.of()),
        bulk(null),
        new MongoSecurityException(null, "wrong password"),
        new UnreadableTaskException("id", "wrong", null),
        new IllegalStateException());
  }

  private static MongoBulkWriteException bulk(WriteConcernError error) {
    return new MongoBulkWriteException(
        BulkWriteResult.unacknowledged(), List.of(), error, ADDRESS, Set.of());
  }

  @ParameterizedTest
  @MethodSource("away")
  void tryingAgainLaterMayHelp(RuntimeException failure) {
    assertThat(MongoTaskStore.isAway(failure)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("refusing")
  void tryingAgainLaterDoesNotHelp(RuntimeException failure) {
    assertThat(MongoTaskStore.isAway(failure)).isFalse();
  }
}
