package dev.carillon.embedded;

import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.AbstractMongoCollection;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.Cursor;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DocumentWithPosition;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.IndexBuildFailedException;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A collection that answers queries from its indexes where it can. A document's position is its
 * {@code _id}.
 *
 * <p>Not safe for changes during reads: the backend keeps writers and readers apart.
 */
final class IndexedCollection extends AbstractMongoCollection<Object> {

  private final StoredDocuments documents;
  private boolean indexesFilled;

  IndexedCollection(
      MongoDatabase database,
      String name,
      CollectionOptions options,
      StoredDocuments documents,
      CursorRegistry cursors) {
    super(database, name, options, cursors);
    this.documents = documents;
  }

  /** Where a document is: at its {@code _id}, except for those that describe the database. */
  static Object position(Document document) {
    return Missing.ofNullable(document.get("_id"));
  }

  /**
   * Fills the indexes from the documents. Until then they are only declared, so that opening a
   * collection reads its documents once and not for each index.
   */
  void fillIndexes() {
    fill(getIndexes());
    indexesFilled = true;
  }

  @Override
  public void addIndex(Index<Object> index) {
    boolean known =
        getIndexes().stream().anyMatch(other -> other.getName().equals(index.getName()));
    if (indexesFilled && !known) {
      try {
        fill(List.of(index));
      } catch (MongoServerError e) {
        throw new IndexBuildFailedException(e, this);
      }
    }
    super.addIndex(index);
  }

  private void fill(List<Index<Object>> indexes) {
    documents.stream()
        .forEach(
            stored -> {
              for (Index<Object> index : indexes) {
                index.add(stored.getDocument(), stored.getPosition(), this);
              }
            });
  }

  @Override
  protected QueryResult queryDocuments(
      Document filter, Document orderBy, int skip, int limit, int batchSize, Document fields) {
    if (isNaturalDescending(orderBy)) {
      return queryDocuments(filter, new Document("_id", -1), skip, limit, batchSize, fields);
    }
    Optional<AccessPath> path = bestPath(filter, orderBy, limit > 0);
    if (path.isEmpty()) {
      return super.queryDocuments(filter, orderBy, skip, limit, batchSize, fields);
    }
    return matchDocumentsFromStream(
        path.get().positions().map(documents::get),
        filter,
        path.get().sorted() ? null : orderBy,
        skip,
        limit,
        batchSize,
        fields);
  }

  private Optional<AccessPath> bestPath(Document filter, Document orderBy, boolean limited) {
    QueryShape shape = QueryShape.of(filter);
    SortOrder order = SortOrder.of(orderBy);
    return QueryPlan.best(
        getIndexes().stream()
            .flatMap(index -> index instanceof QueryableIndex i ? Stream.of(i) : Stream.empty())
            .flatMap(index -> AccessPath.through(index.entries(), shape, order).stream())
            .toList(),
        limited);
  }

  @Override
  protected QueryResult matchDocuments(
      Document filter, Document orderBy, int skip, int limit, int batchSize, Document fields) {
    return matchDocumentsFromStream(
        queryAllAsStream(), filter, orderBy, skip, limit, batchSize, fields);
  }

  /** What aggregations begin with; unlike the inherited one, it does not collect them first. */
  @Override
  public Stream<Document> queryAllAsStream() {
    return documents.stream().map(DocumentWithPosition::getDocument);
  }

  /** Sorts no more documents than it returns, so that a page of a big collection fits in memory. */
  @Override
  protected QueryResult matchDocumentsFromStream(
      Document filter,
      Stream<Document> candidates,
      int skip,
      int limit,
      int batchSize,
      Comparator<Document> order,
      Document fields) {
    Stream<Document> kept =
        order == null || limit <= 0
            ? candidates
            : FirstInOrder.of(
                candidates.filter(document -> documentMatchesQuery(document, filter)),
                order,
                (long) skip + limit);
    return super.matchDocumentsFromStream(filter, kept, skip, limit, batchSize, order, fields);
  }

  @Override
  protected Cursor createCursor(List<Document> remaining) {
    Cursor cursor = new BatchedCursor(cursorRegistry.generateCursorId(), remaining);
    cursorRegistry.add(cursor);
    return cursor;
  }

  @Override
  protected Object addDocumentInternal(Document document) {
    Object position =
        getIdField() == null
            ? documents.nextNumber()
            : Missing.ofNullable(document.get(getIdField()));
    if (documents.put(position, document)) {
      throw new IllegalStateException(
          position + " is in " + getFullName() + " but not in its index");
    }
    return position;
  }

  @Override
  protected void handleUpdate(Object position, Document before, Document after) {
    documents.put(position, after);
  }

  @Override
  protected void removeDocument(Object position) {
    if (!documents.remove(position)) {
      throw new NoSuchElementException(position + " is not in " + getFullName());
    }
  }

  /** Unlike the inherited one, it does not take the description of an index for a filter. */
  @Override
  public void addDocumentIfMissing(Document document) {
    if (documents.stream().noneMatch(known -> known.getDocument().equals(document))) {
      addDocument(document);
    }
  }

  @Override
  protected Document getDocument(Object position) {
    return documents.get(position);
  }

  @Override
  protected Stream<DocumentWithPosition<Object>> streamAllDocumentsWithPosition() {
    return documents.stream();
  }

  @Override
  public int count() {
    return documents.count();
  }

  @Override
  protected boolean tracksDataSize() {
    return false; // it would cost an encoding and a second write for each change
  }

  @Override
  protected int getDataSize() {
    return 0;
  }

  @Override
  protected void updateDataSize(int change) {
    throw new UnsupportedOperationException("The size of the data is not tracked");
  }
}
