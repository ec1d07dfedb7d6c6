package dev.carillon.embedded;

import de.bwaldvogel.mongo.backend.IndexKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One way to answer a query through an index: which parts of it to read, in which direction.
 *
 * @param spans disjoint parts of the index that together hold every matching document
 * @param backwards whether to read them from the end
 * @param sorted whether the documents come in the order that the query asks for
 * @param selectivity a rough measure of how little is left to read; 0 for the whole index
 */
record AccessPath(
    IndexEntries index, List<IndexSpan> spans, boolean backwards, boolean sorted, int selectivity) {

  /** An index all of whose fields are given, and that is unique, leaves next to nothing to read. */
  static final int UNIQUE = Integer.MAX_VALUE;

  private static final int BY_EQUALITY = 4;
  private static final int BY_ALTERNATIVES = 3;
  private static final int BY_RANGE = 2;

  /** A product of alternatives beyond this is not worth looking up one by one. */
  private static final int MAX_SPANS = 10_000;

  /** How an index can help, if it can. */
  static Optional<AccessPath> through(IndexEntries index, QueryShape shape, SortOrder order) {
    List<List<Object>> prefixes = List.of(List.of());
    FieldCondition.Range range = null;
    int given = 0;
    int selectivity = 0;
    for (IndexKey key : index.keys()) {
      FieldCondition condition = shape.on(key.getKey()).orElse(null);
      if (condition instanceof FieldCondition.AnyOf any
          && (long) prefixes.size() * any.values().size() <= MAX_SPANS) {
        prefixes = prefixes.stream().flatMap(prefix -> any.appendedTo(prefix)).toList();
        selectivity += any.values().size() == 1 ? BY_EQUALITY : BY_ALTERNATIVES;
        given++;
      } else {
        if (condition instanceof FieldCondition.Range found) {
          range = index.plain() ? found : found.oneSided();
          selectivity += BY_RANGE;
        }
        break;
      }
      if (!index.plain()) {
        break; // different elements of an array may satisfy the conditions on different keys
      }
    }
    if (index.unique() && given == index.keys().size()) {
      selectivity = UNIQUE;
    }
    Optional<Boolean> direction =
        prefixes.size() == 1 && index.plain()
            ? order.backwardsIn(index.keys(), given)
            : Optional.empty();
    boolean sorts = !order.isAny() && direction.isPresent();
    boolean useful = selectivity > 0 || (sorts && index.complete());
    if (!useful) {
      return Optional.empty();
    }
    return Optional.of(
        new AccessPath(
            index,
            spans(index, prefixes, range),
            direction.orElse(false),
            sorts || order.isAny(),
            selectivity));
  }

  private static List<IndexSpan> spans(
      IndexEntries index, List<List<Object>> prefixes, FieldCondition.Range range) {
    return prefixes.stream()
        .map(
            prefix ->
                range == null
                    ? IndexSpan.of(prefix)
                    : IndexSpan.of(prefix, range, index.keys().get(prefix.size()).isAscending()))
        .toList();
  }

  /** The positions to look at, each once, read as the stream is consumed. */
  Stream<Object> positions() {
    Stream<Object> positions = spans.stream().flatMap(span -> index.positions(span, backwards));
    return index.plain() ? positions : positions.distinct();
  }
}
