package dev.carillon.mongo;

import dev.carillon.task.KeyedRequest;
import java.util.Date;
import java.util.Optional;
import org.bson.Document;

/** The request that something is from, as a part of it; left out where there is none. */
final class RequestCodec {

  static final String REQUEST = "request";

  /** By which a request is found in the archive. */
  static final String KEY_PATH = "request.key";

  static final String TAKEN_AT_PATH = "request.takenAt";

  private static final String KEY = "key";
  private static final String FINGERPRINT = "fingerprint";
  private static final String TAKEN_AT = "takenAt";

  private RequestCodec() {}

  static Document encode(KeyedRequest request) {
    return new Document(KEY, request.key())
        .append(FINGERPRINT, request.fingerprint())
        .append(TAKEN_AT, Date.from(request.takenAt()));
  }

  static Optional<KeyedRequest> decode(StoredFields fields) {
    return fields
        .optionalObject(REQUEST)
        .map(
            request ->
                new KeyedRequest(
                    request.text(KEY), request.text(FINGERPRINT), request.time(TAKEN_AT)));
  }
}
