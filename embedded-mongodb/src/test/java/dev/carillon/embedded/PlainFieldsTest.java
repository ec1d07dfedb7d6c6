package dev.carillon.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.bson.Document;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PlainFieldsTest {

  private static final List<Object> VALUES =
      List.of(
          "text",
          1,
          1L,
          1.0,
          -0.0,
          true,
          Instant.ofEpochMilli(5),
          new Document("x", 1),
          new Document(),
          List.of(),
          List.of(1, 2),
          List.of(new Document("x", 1)));

  private static List<IndexKey> keys(String... names) {
    List<IndexKey> keys = new ArrayList<>();
    for (String name : names) {
      keys.add(new IndexKey(name, true));
    }
    return keys;
  }

  /** As mongo-java-server has it, without what this changes. */
  private static Set<KeyValue> generally(List<IndexKey> keys, Document document) {
    return new GeneralIndex(keys).getKeyValues(document);
  }

  private static Document random(Random random) {
    Document document = new Document();
    for (String name : List.of("a", "b", "c")) {
      int kind = random.nextInt(VALUES.size() + 2);
      if (kind < VALUES.size()) {
        document.append(name, VALUES.get(kind));
      } else if (kind == VALUES.size()) {
        document.append(name, null);
      }
    }
    return document;
  }

  @Test
  void comesToTheSameAsTheGeneralWay() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int plain = 0;
    for (int i = 0; i < 2_000; i++) {
      List<IndexKey> keys = random.nextBoolean() ? keys("a") : keys("b", "a");
      Document document = random(random);
      var value = new PlainFields(keys).valueOf(document);
      if (value.isPresent()) {
        plain++;
        assertThat(Set.of(value.get()))
            .as("%s of %s, seed %s", keys, document, seed)
            .isEqualTo(generally(keys, document));
      }
    }
    assertThat(plain).isPositive();
  }

  @Test
  void pathsAndArraysTakeTheGeneralWay() {
    Document document = new Document("a", new Document("x", 1)).append("b", List.of(1));

    assertThat(new PlainFields(keys("a.x")).valueOf(document)).isEmpty();
    assertThat(new PlainFields(keys("b")).valueOf(document)).isEmpty();
    assertThat(new PlainFields(keys("a", "b")).valueOf(document)).isEmpty();
    assertThat(new PlainFields(keys("a")).valueOf(document)).isPresent();
  }
}
