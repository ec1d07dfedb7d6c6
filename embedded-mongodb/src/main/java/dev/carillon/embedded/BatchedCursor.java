package dev.carillon.embedded;

import de.bwaldvogel.mongo.backend.InMemoryCursor;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/**
 * The rest of a query's result, as it was when the query ran.
 *
 * <p>It has a batch size of its own for clients that name none: everything in one message may be
 * more than a driver accepts.
 */
final class BatchedCursor extends InMemoryCursor {

  static final int BATCH = 1_000;

  BatchedCursor(long id, List<Document> remaining) {
    super(id, remaining);
  }

  @Override
  public List<Document> takeDocuments(int wanted) {
    return super.takeDocuments(wanted > 0 ? wanted : BATCH);
  }
}
