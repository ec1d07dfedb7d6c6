package dev.carillon.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import de.bwaldvogel.mongo.backend.ArrayFilters;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import de.bwaldvogel.mongo.exception.CannotIndexParallelArraysError;
import de.bwaldvogel.mongo.oplog.NoopOplog;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * With indexes or without, a query has the same answer: random queries on random documents, among
 * them arrays, nulls, missing fields and values of different types.
 */
class QueryEquivalenceTest {

  private static final int DOCUMENTS = 120;
  private static final int QUERIES = 200;
  private static final List<String> FIELDS = List.of("a", "b", "c", "u", "_id");

  private final DurableBackend backend = DataFile.inMemory();
  private final IndexedCollection plain = collection("plain");
  private final IndexedCollection indexed = collection("indexed");

  @AfterEach
  void close() {
    backend.close();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void indexesChangeNoAnswer(long seed) {
    Random random = new Random(seed);
    boolean onlyPlain = seed % 2 == 0;
    indexed.addIndex(new OrderedIndex("1", List.of(up("a"), up("b"))));
    indexed.addIndex(new OrderedIndex("2", List.of(down("b"), down("_id"))));
    indexed.addIndex(new OrderedIndex("3", List.of(up("c"), down("a"), up("b"))));
    indexed.addIndex(new HeapUniqueIndex("4", List.of(up("u")), true));
    change(random, onlyPlain);

    for (int i = 0; i < QUERIES; i++) {
      Document filter = filter(random);
      assertThat(ids(indexed, filter, new Document(), 0))
          .as("seed %d, filter %s", seed, filter)
          .containsExactlyInAnyOrderElementsOf(ids(plain, filter, new Document(), 0));
      Document sort = sort(random, onlyPlain);
      int limit = random.nextInt(3) * random.nextInt(20);
      assertThat(ids(indexed, filter, sort, limit))
          .as("seed %d, filter %s, sort %s, limit %d", seed, filter, sort, limit)
          .isEqualTo(ids(plain, filter, sort, limit));
    }
  }

  @Test
  void differentElementsOfAnArrayMayBeWithinTheTwoEndsOfARange() {
    indexed.addIndex(new OrderedIndex("1", List.of(up("a"))));
    insert(new Document("_id", 1).append("a", List.of(1, 9)));
    insert(new Document("_id", 2).append("a", List.of(5)));
    insert(new Document("_id", 3).append("a", List.of(7, 9)));
    Document filter = new Document("$and", List.of(where("a", "$gte", 4), where("a", "$lte", 6)));
    assertThat(ids(plain, filter, new Document(), 0)).containsExactlyInAnyOrder(1, 2);
    assertThat(ids(indexed, filter, new Document(), 0)).containsExactlyInAnyOrder(1, 2);
  }

  @Test
  void differentElementsOfAnArrayMayMatchDifferentFields() {
    indexed.addIndex(new OrderedIndex("1", List.of(up("list.x"), up("list.y"))));
    insert(
        new Document("_id", 1)
            .append(
                "list",
                List.of(new Document("x", 1).append("y", 2), new Document("x", 3).append("y", 4))));
    Document filter = new Document("list.x", 1).append("list.y", 4);
    assertThat(ids(plain, filter, new Document(), 0)).containsExactly(1);
    assertThat(ids(indexed, filter, new Document(), 0)).containsExactly(1);
  }

  @Test
  void anArrayIsSortedByItsSmallestElementWhicheverMatches() {
    indexed.addIndex(new OrderedIndex("1", List.of(up("a"))));
    insert(new Document("_id", 1).append("a", List.of(5, 1)));
    insert(new Document("_id", 2).append("a", 3));
    Document filter = where("a", "$gte", 2);
    assertThat(ids(plain, filter, new Document("a", 1), 2)).containsExactly(1, 2);
    assertThat(ids(indexed, filter, new Document("a", 1), 2)).containsExactly(1, 2);
  }

  private void insert(Document document) {
    plain.addDocument(document);
    indexed.addDocument(document);
  }

  private static Document where(String field, String operator, Object value) {
    return new Document(field, new Document(operator, value));
  }

  private IndexedCollection collection(String name) {
    return (IndexedCollection)
        backend
            .resolveDatabase("test")
            .createCollectionOrThrowIfExists(name, CollectionOptions.withDefaults());
  }

  private static IndexKey up(String field) {
    return new IndexKey(field, true);
  }

  private static IndexKey down(String field) {
    return new IndexKey(field, false);
  }

  /** Inserts, then updates and deletes some, so that indexes are kept and not only built. */
  private void change(Random random, boolean onlyPlain) {
    for (int i = 0; i < DOCUMENTS; i++) {
      Document document = new Document("_id", random.nextBoolean() ? i : "s" + i);
      List.of("a", "b", "c").forEach(field -> set(document, field, random, onlyPlain));
      if (random.nextBoolean()) {
        document.append("u", "u" + i);
      }
      if (accepted(() -> indexed.addDocument(document))) {
        plain.addDocument(document);
      }
    }
    for (int i = 0; i < DOCUMENTS / 2; i++) {
      Document id = new Document("_id", random.nextBoolean() ? i : "s" + i);
      if (random.nextInt(4) == 0) {
        plain.deleteDocuments(id, 1);
        indexed.deleteDocuments(id, 1);
      } else {
        Document changes = new Document("touched", true);
        set(changes, "b", random, onlyPlain);
        if (accepted(() -> update(indexed, id, changes))) {
          update(plain, id, changes);
        }
      }
    }
  }

  private static void update(IndexedCollection collection, Document id, Document changes) {
    collection.updateDocuments(
        id, new Document("$set", changes), ArrayFilters.empty(), false, false, NoopOplog.get());
  }

  /** Two arrays cannot be in one index. */
  private static boolean accepted(Runnable write) {
    try {
      write.run();
      return true;
    } catch (CannotIndexParallelArraysError e) {
      return false;
    }
  }

  private static void set(Document document, String field, Random random, boolean onlyPlain) {
    Object value = random.nextInt(12) == 0 && !onlyPlain ? nested(random) : value(random);
    if (value != document) {
      document.append(field, value);
    }
    if (random.nextInt(10) == 0) {
      document.remove(field);
    }
  }

  private static Object nested(RandomGenerator random) {
    return switch (random.nextInt(4)) {
      case 0 -> List.of();
      case 1 -> List.of(random.nextInt(5));
      case 2 -> Arrays.asList(random.nextInt(5), random.nextInt(5), "x");
      default -> new Document("x", random.nextInt(2));
    };
  }

  private static Object value(RandomGenerator random) {
    return switch (random.nextInt(9)) {
      case 0 -> null;
      case 1 -> (double) random.nextInt(5) / 2;
      case 2 -> (long) random.nextInt(5);
      case 3 -> Instant.ofEpochMilli(random.nextInt(5));
      case 4 -> random.nextBoolean();
      case 5 -> new ObjectId("00000000000000000000000" + random.nextInt(3));
      case 6 -> "v" + random.nextInt(5);
      default -> random.nextInt(5);
    };
  }

  private static Document filter(Random random) {
    Document filter = new Document();
    int conditions = random.nextInt(4);
    for (int i = 0; i < conditions; i++) {
      String field = FIELDS.get(random.nextInt(FIELDS.size()));
      Document condition = new Document(field, condition(random));
      switch (random.nextInt(6)) {
        case 0 -> filter.append("$and", List.of(condition, new Document("a", condition(random))));
        case 1 -> filter.append("$or", List.of(condition, new Document("c", condition(random))));
        default -> filter.putAll(condition);
      }
    }
    return filter;
  }

  private static Object condition(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> new Document("$in", Arrays.asList(value(random), value(random), value(random)));
      case 1 -> new Document("$gt", value(random));
      case 2 -> new Document("$lte", value(random));
      case 3 -> new Document("$gte", value(random)).append("$lt", value(random));
      case 4 -> new Document("$ne", value(random));
      case 5 -> new Document("$exists", random.nextBoolean());
      default -> value(random);
    };
  }

  /**
   * Always ends with the id, so that there is exactly one right order. By id only where there are
   * arrays, on whose order mongo-java-server contradicts itself.
   */
  private static Document sort(Random random, boolean onlyPlain) {
    Document sort = new Document();
    IntStream.range(0, onlyPlain ? random.nextInt(3) : 0)
        .forEach(
            i -> sort.append(FIELDS.get(random.nextInt(FIELDS.size())), random.nextInt(2) * 2 - 1));
    return sort.containsKey("_id") ? sort : sort.append("_id", random.nextInt(2) * 2 - 1);
  }

  private static List<Object> ids(
      IndexedCollection collection, Document filter, Document sort, int limit) {
    Document query = new Document("$query", filter).append("$orderby", sort);
    return collection.handleQuery(query, 0, limit).collectDocuments().stream()
        .map(document -> document.get("_id"))
        .toList();
  }
}
