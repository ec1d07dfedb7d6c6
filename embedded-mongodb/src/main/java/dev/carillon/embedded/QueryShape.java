package dev.carillon.embedded;

import de.bwaldvogel.mongo.bson.Document;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a filter demands of each field, as far as an index can answer it: equality, {@code $in} and
 * ranges on plain values, also within {@code $and}. The rest is left out, so the filter itself
 * still has to be checked on each document that an index comes up with.
 */
final class QueryShape {

  private final Map<String, FieldCondition> conditions = new HashMap<>();

  private QueryShape() {}

  static QueryShape of(Document filter) {
    QueryShape shape = new QueryShape();
    shape.read(filter);
    return shape;
  }

  Optional<FieldCondition> on(String field) {
    return Optional.ofNullable(conditions.get(field));
  }

  private void read(Document filter) {
    for (Map.Entry<String, Object> clause : filter.entrySet()) {
      String field = clause.getKey();
      if (field.equals("$and") && clause.getValue() instanceof Collection<?> parts) {
        for (Object part : parts) {
          if (part instanceof Document document) {
            read(document);
          }
        }
      } else if (!field.startsWith("$")) {
        read(clause.getValue())
            .ifPresent(condition -> conditions.merge(field, condition, FieldCondition::both));
      }
    }
  }

  private static Optional<FieldCondition> read(Object demanded) {
    if (IndexOrder.isComparable(demanded)) {
      return anyOf(List.of(demanded));
    }
    if (!(demanded instanceof Document operators)) {
      return Optional.empty();
    }
    if (IndexOrder.isComparable(operators.get("$eq"))) {
      return anyOf(List.of(operators.get("$eq")));
    }
    if (operators.get("$in") instanceof Collection<?> values) {
      return anyOf(values);
    }
    FieldCondition.Bound low = bound(operators, "$gt", "$gte");
    FieldCondition.Bound high = bound(operators, "$lt", "$lte");
    return low == null && high == null
        ? Optional.empty()
        : Optional.of(new FieldCondition.Range(low, high));
  }

  private static Optional<FieldCondition> anyOf(Collection<?> values) {
    if (values.isEmpty() || !values.stream().allMatch(IndexOrder::isComparable)) {
      return Optional.empty();
    }
    return Optional.of(
        new FieldCondition.AnyOf(values.stream().map(IndexOrder::normalized).distinct().toList()));
  }

  private static FieldCondition.Bound bound(
      Document operators, String excluding, String including) {
    if (IndexOrder.isComparable(operators.get(excluding))) {
      return new FieldCondition.Bound(IndexOrder.normalized(operators.get(excluding)), false);
    }
    if (IndexOrder.isComparable(operators.get(including))) {
      return new FieldCondition.Bound(IndexOrder.normalized(operators.get(including)), true);
    }
    return null;
  }
}
