package dev.carillon.embedded;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Chooses between the ways to answer a query. */
final class QueryPlan {

  /**
   * Up to so many documents are read and sorted; if more fit the filter, it is quicker to go
   * through an index that has the wanted order and stop when enough of them have been found.
   */
  private static final int FEW = 1_000;

  private QueryPlan() {}

  /**
   * Chooses the way that is likely to look at the fewest documents.
   *
   * @param paths the ways there are
   * @param limited whether the query asks for a limited number of documents
   * @return empty if reading the whole collection is no worse
   */
  static Optional<AccessPath> best(List<AccessPath> paths, boolean limited) {
    Optional<AccessPath> selective = mostSelective(paths);
    Optional<AccessPath> sorted = mostSelective(paths.stream().filter(AccessPath::sorted).toList());
    if (selective.isEmpty() || sorted.isEmpty() || selective.get().sorted()) {
      return selective;
    }
    return limited && leavesMany(selective.get()) ? sorted : selective;
  }

  private static Optional<AccessPath> mostSelective(List<AccessPath> paths) {
    return paths.stream()
        .max(Comparator.comparingInt(AccessPath::selectivity).thenComparing(AccessPath::sorted));
  }

  private static boolean leavesMany(AccessPath path) {
    return path.selectivity() < IndexReach.UNIQUE
        && path.positions().skip(FEW).findAny().isPresent();
  }
}
