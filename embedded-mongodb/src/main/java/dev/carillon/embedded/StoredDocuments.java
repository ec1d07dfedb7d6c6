package dev.carillon.embedded;

import de.bwaldvogel.mongo.backend.DocumentWithPosition;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.bson.BsonDecoder;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/**
 * The documents of one collection by their position, which is their {@code _id}.
 *
 * <p>They are kept as BSON, so whoever reads one gets a copy of its own. mongo-java-server changes
 * documents in place, also while aggregating: with shared ones, a reader could see a document half
 * changed, and an aggregation could change what is stored.
 */
final class StoredDocuments {

  private static final String MAP_PREFIX = "documents.";
  private static final int TYPICAL_BYTES = 1_024;

  private final MVMap<Object, byte[]> map;
  private final LongAdder examined;

  private StoredDocuments(MVMap<Object, byte[]> map, LongAdder examined) {
    this.map = map;
    this.examined = examined;
  }

  /**
   * Opens the documents of a collection, none if it is new.
   *
   * @param namespace database and collection, joined by a dot
   * @param examined counts the documents that are read
   */
  static StoredDocuments open(MVStore store, String namespace, LongAdder examined) {
    return new StoredDocuments(
        store.openMap(
            MAP_PREFIX + namespace,
            new MVMap.Builder<Object, byte[]>().valueType(ByteArrayDataType.INSTANCE)),
        examined);
  }

  static void drop(MVStore store, String namespace) {
    store.removeMap(MAP_PREFIX + namespace);
  }

  /** The names of the databases that have a collection. */
  static Stream<String> databaseNames(MVStore store) {
    return store.getMapNames().stream()
        .filter(name -> name.startsWith(MAP_PREFIX))
        .map(name -> name.substring(MAP_PREFIX.length(), name.indexOf('.', MAP_PREFIX.length())))
        .distinct();
  }

  Document get(Object position) {
    return decoded(map.get(position));
  }

  /** Returns whether there was a document at that position. */
  boolean put(Object position, Document document) {
    return map.put(position, encoded(document)) != null;
  }

  /** Returns whether there was a document at that position. */
  boolean remove(Object position) {
    return map.remove(position) != null;
  }

  /** A position after all others, for a collection whose documents have numbers. */
  long nextNumber() {
    return map.isEmpty() ? 0 : (Long) map.lastKey() + 1;
  }

  int count() {
    return map.size();
  }

  /** All documents, in the order of their positions. */
  Stream<DocumentWithPosition<Object>> stream() {
    return map.entrySet().stream()
        .map(entry -> new DocumentWithPosition<>(decoded(entry.getValue()), entry.getKey()));
  }

  private Document decoded(byte[] bson) {
    examined.increment();
    return BsonDecoder.decodeBson(Unpooled.wrappedBuffer(bson));
  }

  private static byte[] encoded(Document document) {
    ByteBuf buffer = Unpooled.buffer(TYPICAL_BYTES);
    try {
      BsonEncoder.encodeDocument(document, buffer);
      byte[] bson = new byte[buffer.readableBytes()];
      buffer.readBytes(bson);
      return bson;
    } finally {
      buffer.release();
    }
  }
}
