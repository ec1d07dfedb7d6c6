package dev.carillon.embedded;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.AbstractSynchronizedMongoDatabase;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.oplog.Oplog;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.h2.mvstore.MVStore;

/**
 * A database whose collections are kept in the store. The definitions of its indexes are kept with
 * the data; the indexes themselves are built from it when the database is opened.
 */
final class DurableDatabase extends AbstractSynchronizedMongoDatabase<Object> {

  private final MVStore store;
  private final LongAdder examined;
  private final List<IndexedCollection> opening = new ArrayList<>();
  private boolean open;

  DurableDatabase(String name, MVStore store, CursorRegistry cursors, LongAdder examined) {
    super(name, cursors);
    this.store = store;
    this.examined = examined;
    initializeNamespacesAndIndexes();
    opening.forEach(IndexedCollection::fillIndexes);
    opening.clear();
    open = true;
  }

  @Override
  protected Index<Object> openOrCreateUniqueIndex(
      String collection, String name, List<IndexKey> keys, boolean sparse) {
    return new HeapUniqueIndex(name, keys, sparse);
  }

  @Override
  protected Index<Object> openOrCreateSecondaryIndex(
      String collection, String name, List<IndexKey> keys, boolean sparse) {
    return new OrderedIndex(name, keys);
  }

  /** Declaring an index again does nothing, unless the declaration has changed. */
  @Override
  protected synchronized void addIndex(Document declared) {
    if (Utils.isTrue(declared.get("unique")) && declared.containsKey("partialFilterExpression")) {
      throw new MongoServerError(
          67,
          "CannotCreateIndex",
          "The embedded database has no partial unique indexes: use a sparse one, on a field that is"
              + " unset where it need not be unique");
    }
    Optional<Document> existing = existing(declared);
    if (existing.isEmpty()) {
      super.addIndex(declared);
    } else if (!definition(existing.get()).equals(definition(declared))) {
      throw new MongoServerError(
          85,
          "IndexOptionsConflict",
          "An index named " + declared.get("name") + " exists with different keys or options");
    }
  }

  private Optional<Document> existing(Document declared) {
    MongoCollection<Object> definitions = indexes.get();
    return definitions == null
        ? Optional.empty()
        : definitions
            .handleQueryAsStream(
                new Document("ns", declared.get("ns")).append("name", declared.get("name")))
            .findFirst();
  }

  /** An index's keys, whose order matters, and its options, whose order does not. */
  private static Map<Object, Object> definition(Document index) {
    Map<Object, Object> definition = new HashMap<>((Map<?, ?>) IndexOrder.normalized(index));
    definition.remove("v");
    return definition;
  }

  /** Sets right what mongo-java-server gets wrong. */
  @Override
  public Document handleCommand(
      Channel channel, String name, Document command, DatabaseResolver databases, Oplog oplog) {
    if (name.equalsIgnoreCase("dropIndexes") && !(command.get("index") instanceof Document)) {
      // it would forget the indexes of that name on all collections
      throw notSupported("The embedded database drops an index by its keys only");
    }
    if (name.equalsIgnoreCase("find") && !Utils.isTrue(command.get("batchSize"))) {
      command.put("batchSize", BatchedCursor.BATCH); // what is to be changed is never batched
    }
    Document reply = super.handleCommand(channel, name, command, databases, oplog);
    if (name.equalsIgnoreCase("insert") && reply.get("writeErrors") instanceof List<?> errors) {
      reply.put("n", inserted(command, errors));
    }
    return reply;
  }

  private static Object inserted(Document insert, List<?> errors) {
    return Utils.isTrue(insert.get("ordered"))
        ? ((Document) errors.get(0)).get("index")
        : ((List<?>) insert.get("documents")).size() - errors.size();
  }

  @Override
  protected MongoCollection<Object> openOrCreateCollection(String name, CollectionOptions options) {
    IndexedCollection collection =
        new IndexedCollection(
            this,
            name,
            options,
            StoredDocuments.open(store, getFullCollectionNamespace(name), examined),
            cursorRegistry);
    if (open) {
      collection.fillIndexes();
    } else {
      opening.add(collection);
    }
    return collection;
  }

  @Override
  public void dropCollection(String name, Oplog oplog) {
    super.dropCollection(name, oplog);
    StoredDocuments.drop(store, getFullCollectionNamespace(name));
  }

  @Override
  public void moveCollection(MongoDatabase from, MongoCollection<?> collection, String newName) {
    throw notSupported("The embedded database cannot rename a collection");
  }

  private static MongoServerError notSupported(String message) {
    return new MongoServerError(115, "CommandNotSupported", message);
  }

  @Override
  protected long getStorageSize() {
    return store.getFileStore() == null ? 0 : store.getFileStore().size();
  }

  @Override
  protected long getFileSize() {
    return getStorageSize();
  }
}
