package dev.carillon.embedded;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/** An index that only tells which values a document has in it, as mongo-java-server does. */
final class GeneralIndex extends Index<Object> {

  GeneralIndex(List<IndexKey> keys) {
    super("general", keys, false);
  }

  private static UnsupportedOperationException unsupported() {
    return new UnsupportedOperationException("only tells values");
  }

  @Override
  public Object getPosition(Document document) {
    throw unsupported();
  }

  @Override
  public void checkAdd(Document document, MongoCollection<Object> collection) {
    throw unsupported();
  }

  @Override
  public void add(Document document, Object position, MongoCollection<Object> collection) {
    throw unsupported();
  }

  @Override
  public Object remove(Document document) {
    throw unsupported();
  }

  @Override
  public boolean canHandle(Document query) {
    throw unsupported();
  }

  @Override
  public Iterable<Object> getPositions(Document query) {
    throw unsupported();
  }

  @Override
  public long getCount() {
    throw unsupported();
  }

  @Override
  public long getDataSize() {
    throw unsupported();
  }

  @Override
  public void checkUpdate(Document before, Document after, MongoCollection<Object> collection) {
    throw unsupported();
  }

  @Override
  public void updateInPlace(
      Document before, Document after, Object position, MongoCollection<Object> collection) {
    throw unsupported();
  }

  @Override
  public void drop() {
    throw unsupported();
  }
}
