package dev.carillon.embedded;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.AbstractUniqueIndex;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.BadValueException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A unique index, also the one on {@code _id}. It is kept on the heap and rebuilt from the data at
 * start, so the two cannot disagree.
 */
final class HeapUniqueIndex extends AbstractUniqueIndex<Object> implements QueryableIndex {

  private final Map<KeyValue, Object> positions = new HashMap<>();
  private final IndexEntries entries;
  private final PlainFields plainFields;

  HeapUniqueIndex(String name, List<IndexKey> keys, boolean sparse) {
    super(name, keys, sparse);
    this.entries = new IndexEntries(keys, true, !sparse);
    this.plainFields = new PlainFields(keys);
  }

  @Override
  public Set<KeyValue> getKeyValues(Document document) {
    return plainFields.valueOf(document).map(Set::of).orElseGet(() -> super.getKeyValues(document));
  }

  @Override
  public IndexEntries entries() {
    return entries;
  }

  /** The collection asks the entries; the inherited answers leave out nulls if it is sparse. */
  @Override
  public synchronized boolean canHandle(Document query) {
    return false;
  }

  @Override
  public synchronized void checkAdd(Document document, MongoCollection<Object> collection) {
    refuseArray(document);
    super.checkAdd(document, collection);
  }

  @Override
  public synchronized void checkUpdate(
      Document before, Document after, MongoCollection<Object> collection) {
    refuseArray(after);
    super.checkUpdate(before, after, collection);
  }

  private void refuseArray(Document document) {
    if (getKeyValues(document).size() != 1) {
      throw new BadValueException(
          "The embedded database cannot hold an array in the unique index " + getName());
    }
  }

  @Override
  protected boolean putKeyPosition(KeyValue key, Object position) {
    boolean added = positions.putIfAbsent(key, position) == null;
    if (added) {
      entries.add(Set.of(key), position);
    }
    return added;
  }

  @Override
  protected Object removeDocument(KeyValue key) {
    Object position = positions.remove(key);
    if (position != null) {
      entries.remove(Set.of(key), position);
    }
    return position;
  }

  @Override
  protected Object getPosition(KeyValue key) {
    return positions.get(key);
  }

  @Override
  protected Iterable<Map.Entry<KeyValue, Object>> getIterable() {
    return positions.entrySet();
  }

  @Override
  public long getCount() {
    return positions.size();
  }

  /** Keeps mongo-java-server from filling it: {@link IndexedCollection} does. */
  @Override
  public boolean isEmpty() {
    return false;
  }

  @Override
  public long getDataSize() {
    return positions.size();
  }
}
