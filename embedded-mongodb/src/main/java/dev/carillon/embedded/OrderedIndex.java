package dev.carillon.embedded;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An index that is not unique. It holds every document, also if it was declared sparse or partial,
 * so it can answer any query on its fields.
 */
final class OrderedIndex extends Index<Object> implements QueryableIndex {

  private final IndexEntries entries;

  private final PlainFields plainFields;

  OrderedIndex(String name, List<IndexKey> keys) {
    super(name, keys, true); // to the collection, sparse means that it need not know a position
    this.entries = new IndexEntries(keys, false, true);
    this.plainFields = new PlainFields(keys);
  }

  @Override
  public IndexEntries entries() {
    return entries;
  }

  /** An empty array has no values, but its document must be found by its other fields. */
  @Override
  public Set<KeyValue> getKeyValues(Document document) {
    Optional<KeyValue> plain = plainFields.valueOf(document);
    if (plain.isPresent()) {
      return Set.of(plain.get());
    }
    Set<KeyValue> values = super.getKeyValues(document);
    return values.isEmpty() ? Set.of(arraysAsValues(document)) : values;
  }

  private KeyValue arraysAsValues(Document document) {
    List<Object> values = new ArrayList<>();
    for (String key : keys()) {
      values.add(Utils.getSubdocumentValueCollectionAware(document, key));
    }
    return new KeyValue(values).normalized();
  }

  @Override
  public Object getPosition(Document document) {
    return null;
  }

  @Override
  public void checkAdd(Document document, MongoCollection<Object> collection) {
    var unused =
        getKeyValues(document); // fails if it cannot be indexed, before anything is changed
  }

  @Override
  public void add(Document document, Object position, MongoCollection<Object> collection) {
    entries.add(getKeyValues(document), position);
  }

  @Override
  public Object remove(Document document) {
    entries.remove(getKeyValues(document), IndexedCollection.position(document));
    return null;
  }

  @Override
  public void checkUpdate(Document before, Document after, MongoCollection<Object> collection) {
    checkAdd(after, collection);
  }

  @Override
  public void updateInPlace(
      Document before, Document after, Object position, MongoCollection<Object> collection) {
    Set<KeyValue> removed = getKeyValues(before);
    Set<KeyValue> added = getKeyValues(after);
    if (!removed.equals(added)) {
      entries.remove(removed, position);
      entries.add(added, position);
    }
  }

  @Override
  public boolean canHandle(Document query) {
    return false; // the collection asks the entries
  }

  @Override
  public Iterable<Object> getPositions(Document query) {
    throw new UnsupportedOperationException("The collection asks the entries");
  }

  @Override
  public long getCount() {
    return entries.size();
  }

  /** Keeps mongo-java-server from filling it: {@link IndexedCollection} does. */
  @Override
  public boolean isEmpty() {
    return false;
  }

  @Override
  public long getDataSize() {
    return entries.size();
  }

  @Override
  public void drop() {
    entries.clear();
  }
}
