package dev.carillon.embedded;

import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What one index knows: for each document the values of the indexed fields, in the order of the
 * index, and where the document is. Equal values are in the order of their positions, that is by
 * {@code _id} ascending.
 *
 * <p>Not safe for changes during reads: the backend keeps writers and readers apart.
 */
final class IndexEntries {

  /**
   * An entry, or with an edge other than 0 a place between entries: before (-1) or after (1) all
   * that begin with these values.
   */
  private record Entry(List<Object> values, Object position, int edge) {}

  private final List<IndexKey> keys;
  private final boolean unique;
  private final boolean complete;
  private final NavigableSet<Entry> entries = new TreeSet<>(this::compare);
  private boolean plain = true;

  /**
   * Starts without entries.
   *
   * @param unique whether no two documents have the same values
   * @param complete whether every document of the collection is in the index
   */
  IndexEntries(List<IndexKey> keys, boolean unique, boolean complete) {
    this.keys = List.copyOf(keys);
    this.unique = unique;
    this.complete = complete;
  }

  List<IndexKey> keys() {
    return keys;
  }

  boolean unique() {
    return unique;
  }

  boolean complete() {
    return complete;
  }

  /**
   * Whether each document has one entry, and only values whose order the index knows: not if some
   * field was ever an array or, say, an embedded document.
   */
  boolean plain() {
    return plain;
  }

  int size() {
    return entries.size();
  }

  /** Adds a document under all its keys. */
  void add(Collection<KeyValue> documentKeys, Object position) {
    plain &= documentKeys.size() == 1;
    for (KeyValue key : documentKeys) {
      List<Object> values = key.stream().toList();
      plain &= values.stream().allMatch(IndexOrder::isPlain);
      entries.add(new Entry(values, position, 0));
    }
  }

  void remove(Collection<KeyValue> documentKeys, Object position) {
    for (KeyValue key : documentKeys) {
      entries.remove(new Entry(key.stream().toList(), position, 0));
    }
  }

  void clear() {
    entries.clear();
  }

  /** The positions of all entries within a span, read as the stream is consumed. */
  Stream<Object> positions(IndexSpan span, boolean backwards) {
    Entry from = new Entry(span.from(), null, span.fromEdge());
    Entry to = new Entry(span.to(), null, span.toEdge());
    if (compare(from, to) >= 0) {
      return Stream.of();
    }
    NavigableSet<Entry> within = entries.subSet(from, false, to, false);
    return (backwards ? within.descendingSet() : within).stream().map(Entry::position);
  }

  private int compare(Entry a, Entry b) {
    int shared = Math.min(a.values.size(), b.values.size());
    for (int i = 0; i < shared; i++) {
      int order = IndexOrder.compare(a.values.get(i), b.values.get(i));
      if (order != 0) {
        return keys.get(i).isAscending() ? order : -order;
      }
    }
    if (a.edge != b.edge) {
      return Integer.compare(a.edge, b.edge);
    }
    return a.edge == 0
        ? IndexOrder.compareExactly(a.position, b.position)
        : a.edge * Integer.compare(b.values.size(), a.values.size()); // fewer values embrace more
  }
}
