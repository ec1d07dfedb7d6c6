package dev.carillon.embedded;

import de.bwaldvogel.mongo.bson.Document;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The first so many of a stream of documents in some order, without keeping more of them. */
final class FirstInOrder {

  private record Arrived(Document document, long number) {}

  private FirstInOrder() {}

  /** Returns at most {@code count} documents, in order; equal ones as they came. */
  static Stream<Document> of(Stream<Document> documents, Comparator<Document> order, long count) {
    TreeSet<Arrived> first =
        new TreeSet<>(
            Comparator.comparing(Arrived::document, order).thenComparing(Arrived::number));
    long[] number = {0};
    documents.forEachOrdered(
        document -> {
          first.add(new Arrived(document, number[0]++));
          if (first.size() > count) {
            first.pollLast();
          }
        });
    return first.stream().map(Arrived::document);
  }
}
