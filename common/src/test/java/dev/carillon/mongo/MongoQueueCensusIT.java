package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.QueueCensus;
import dev.carillon.testkit.TestStore;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class MongoQueueCensusIT {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");

  private final String uri = TestStore.shared().freshDatabase();
  private final MongoTaskStore store =
      MongoTaskStore.open(MongoSettings.of(uri, "MongoQueueCensusIT"));

  @AfterEach
  void close() {
    store.close();
  }

  private static long exchange(QueueCensus census, int seconds, Map<Integer, Integer> mine) {
    TreeMap<Instant, Integer> queues = new TreeMap<>();
    mine.forEach((until, number) -> queues.put(NOW.plusSeconds(until), number));
    return census.exchange(queues, NOW.plusSeconds(seconds));
  }

  @Test
  void othersAreCountedUntilTheirTime() {
    QueueCensus one = store.queueCensus("worker");
    QueueCensus two = store.queueCensus("worker");

    assertThat(exchange(one, 0, Map.of(10, 3, 20, 4))).isZero();
    assertThat(exchange(two, 0, Map.of(15, 5))).isEqualTo(7);
    assertThat(exchange(one, 9, Map.of(10, 3, 20, 4))).isEqualTo(5);
    assertThat(exchange(two, 10, Map.of(15, 5))).isEqualTo(4);
    assertThat(exchange(two, 20, Map.of())).isZero();
    assertThat(exchange(one, 14, Map.of())).isZero();
  }

  /** Its queues are still there. */
  @Test
  void aProcessThatIsGoneCounts() {
    exchange(store.queueCensus("worker"), 0, Map.of(3_600, 900));

    assertThat(exchange(store.queueCensus("worker"), 60, Map.of(3_600, 5))).isEqualTo(900);
    assertThat(exchange(store.queueCensus("worker"), 3_599, Map.of(7_200, 1))).isEqualTo(905);
    assertThat(exchange(store.queueCensus("worker"), 3_600, Map.of(7_200, 1))).isEqualTo(1);
  }
}
