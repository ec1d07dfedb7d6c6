package dev.carillon.embedded;

import de.bwaldvogel.mongo.backend.IndexKey;
import dev.carillon.embedded.FieldCondition.AnyOf;
import dev.carillon.embedded.FieldCondition.Range;
import java.util.List;

/**
 * How far into an index a filter reaches: it gives the values of the first so many fields, and
 * maybe a range of the next.
 *
 * @param prefixes the values of those fields, in all combinations; one without values if none is
 *     given
 * @param range null if there is none
 * @param selectivity a rough measure of how little of the index is left; 0 for all of it
 */
record IndexReach(List<List<Object>> prefixes, Range range, int selectivity) {

  /** Of a unique index all of whose fields are given, next to nothing is left. */
  static final int UNIQUE = Integer.MAX_VALUE;

  private static final int BY_EQUALITY = 4;
  private static final int BY_ALTERNATIVES = 3;
  private static final int BY_RANGE = 2;

  /** More combinations than this are not worth looking up one by one. */
  private static final int MAX_PREFIXES = 10_000;

  private static final IndexReach NOWHERE = new IndexReach(List.of(List.of()), null, 0);

  static IndexReach of(QueryShape shape, IndexEntries index) {
    IndexReach reach = NOWHERE;
    for (IndexKey key : index.keys()) {
      FieldCondition condition = shape.on(key.getKey()).orElse(null);
      if (condition instanceof Range found) {
        return reach.endingIn(index.plain() ? found : found.oneSided());
      }
      if (!(condition instanceof AnyOf any) || reach.wouldScatter(any)) {
        return reach;
      }
      reach = reach.extendedBy(any);
      if (!index.plain() && index.keys().size() > 1) {
        return reach; // different elements of an array may satisfy the conditions on other fields
      }
    }
    return index.unique() ? new IndexReach(reach.prefixes, null, UNIQUE) : reach;
  }

  private boolean wouldScatter(AnyOf any) {
    return (long) prefixes.size() * any.values().size() > MAX_PREFIXES;
  }

  private IndexReach extendedBy(AnyOf any) {
    return new IndexReach(
        prefixes.stream()
            .flatMap(prefix -> any.values().stream().map(value -> IndexSpan.append(prefix, value)))
            .toList(),
        null,
        selectivity + (any.values().size() == 1 ? BY_EQUALITY : BY_ALTERNATIVES));
  }

  private IndexReach endingIn(Range found) {
    return new IndexReach(prefixes, found, selectivity + BY_RANGE);
  }

  /** How many fields, from the first, are given. */
  int fields() {
    return prefixes.get(0).size();
  }

  /** The parts of the index, disjoint, that hold every document that fits the filter. */
  List<IndexSpan> spans(List<IndexKey> keys) {
    return prefixes.stream()
        .map(
            prefix ->
                range == null
                    ? IndexSpan.of(prefix)
                    : IndexSpan.of(prefix, range, keys.get(prefix.size()).isAscending()))
        .toList();
  }
}
