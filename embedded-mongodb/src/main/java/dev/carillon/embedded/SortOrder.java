package dev.carillon.embedded;

import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The order that a query asks for, and whether an index has it. */
record SortOrder(List<IndexKey> keys) {

  private static final IndexKey BY_ID = new IndexKey("_id", true);

  /** Reads a sort document, which is null if the query asks for no order. */
  static SortOrder of(Document orderBy) {
    return new SortOrder(
        orderBy == null
            ? List.of()
            : orderBy.entrySet().stream()
                .map(key -> new IndexKey(key.getKey(), ((Number) key.getValue()).intValue() > 0))
                .toList());
  }

  boolean isAny() {
    return keys.isEmpty();
  }

  /**
   * Whether a part of an index has this order, read forwards (false) or backwards (true).
   *
   * @param index the keys of the index; equal entries are ordered by {@code _id}
   * @param pinned how many of them, from the first, have one and the same value in that part
   */
  Optional<Boolean> backwardsIn(List<IndexKey> index, int pinned) {
    Set<String> constant = Set.copyOf(names(index.subList(0, pinned)));
    List<IndexKey> wanted = keys.stream().filter(key -> !constant.contains(key.getKey())).toList();
    List<IndexKey> given =
        Stream.concat(index.subList(pinned, index.size()).stream(), Stream.of(BY_ID)).toList();
    if (wanted.isEmpty()) {
      return Optional.of(false);
    }
    if (wanted.size() > given.size()
        || !names(wanted).equals(names(given.subList(0, wanted.size())))) {
      return Optional.empty();
    }
    boolean backwards = differsInDirection(wanted, given, 0);
    for (int i = 1; i < wanted.size(); i++) {
      if (differsInDirection(wanted, given, i) != backwards) {
        return Optional.empty();
      }
    }
    return Optional.of(backwards);
  }

  private static boolean differsInDirection(List<IndexKey> a, List<IndexKey> b, int at) {
    return a.get(at).isAscending() != b.get(at).isAscending();
  }

  private static List<String> names(List<IndexKey> keys) {
    return keys.stream().map(IndexKey::getKey).toList();
  }
}
