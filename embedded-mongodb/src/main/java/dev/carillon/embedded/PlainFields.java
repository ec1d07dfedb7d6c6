package dev.carillon.embedded;

import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The value of a document in an index, where no path has to be followed and no array to be taken
 * apart. That is almost always so, and each write asks for it several times for each index; it
 * comes to the same as the general way of mongo-java-server, which takes many times as long.
 * Immutable and thread-safe.
 */
final class PlainFields {

  private final List<String> names;
  private final boolean arePlain;

  PlainFields(List<IndexKey> keys) {
    this.names = keys.stream().map(IndexKey::getKey).toList();
    this.arePlain = names.stream().noneMatch(name -> name.contains("."));
  }

  /** Empty if the document has to be looked at in the general way. */
  Optional<KeyValue> valueOf(Document document) {
    if (!arePlain) {
      return Optional.empty();
    }
    List<Object> values = new ArrayList<>(names.size());
    for (String name : names) {
      Object value = document.getOrMissing(name);
      if (value instanceof Collection) {
        return Optional.empty();
      }
      values.add(value);
    }
    return Optional.of(new KeyValue(values).normalized());
  }
}
