package dev.carillon.embedded;

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

  /** How an index can help, if it can. */
  static Optional<AccessPath> through(IndexEntries index, QueryShape shape, SortOrder order) {
    IndexReach reach = IndexReach.of(shape, index);
    Optional<Boolean> backwards = direction(index, reach, order);
    boolean narrows = reach.selectivity() > 0;
    boolean sorts = backwards.isPresent() && index.complete();
    return narrows || sorts
        ? Optional.of(
            new AccessPath(
                index,
                reach.spans(index.keys()),
                backwards.orElse(false),
                backwards.isPresent() || order.isAny(),
                reach.selectivity()))
        : Optional.empty();
  }

  /** The direction to read in for the wanted order; empty if any will do or none is right. */
  private static Optional<Boolean> direction(
      IndexEntries index, IndexReach reach, SortOrder order) {
    return order.isAny() || !index.plain() || reach.prefixes().size() > 1
        ? Optional.empty()
        : order.backwardsIn(index.keys(), reach.fields());
  }

  /** The positions to look at, each once, read as the stream is consumed. */
  Stream<Object> positions() {
    Stream<Object> positions = spans.stream().flatMap(span -> index.positions(span, backwards));
    return index.plain() ? positions : positions.distinct();
  }
}
