package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.QueueCensus;
import dev.carillon.rabbit.PendingShape.Mode;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class CensusTakerTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration HORIZON = Duration.ofHours(24);

  private final List<SortedMap<Instant, Integer>> onRecord = new CopyOnWriteArrayList<>();
  private final QueueCensus census =
      (mine, now) -> {
        onRecord.add(mine);
        return 0;
      };

  @Test
  void whoEndsLeavesOnRecordWhatThereIsAndNoMore() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, false);
    CensusTaker taker = new CensusTaker(budget, census, InstantSource.system(), HORIZON);
    taker.start();
    await().atMost(PATIENCE).until(() -> budget.take(Instant.now()));
    budget.declared("a", Instant.now().plusSeconds(60));

    taker.close();
    taker.close();

    SortedMap<Instant, Integer> last = onRecord.get(onRecord.size() - 1);
    assertThat(last.values()).containsExactly(1);
    assertThat(last.lastKey()).isBefore(Instant.now().plusSeconds(120));
    assertThat(budget.take(Instant.now())).isFalse();
  }

  @Test
  void whoCannotReportEndsAllTheSame() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, false);
    QueueCensus away =
        (mine, now) -> {
          throw new IllegalStateException("away");
        };
    CensusTaker taker = new CensusTaker(budget, away, InstantSource.system(), HORIZON);
    taker.start();

    taker.close();

    assertThat(budget.take(Instant.now())).isFalse();
  }

  private boolean reports(Mode mode) {
    onRecord.clear();
    RabbitSettings settings =
        RabbitSettings.of(URI.create("amqp://127.0.0.1:1"), "test")
            .withShape(PendingShape.DEFAULT.withMode(mode));
    RabbitQueues queues =
        new RabbitQueues(settings, InstantSource.system(), new SchedulerMetrics() {}, census);
    queues.start();
    queues.close();
    return !onRecord.isEmpty();
  }

  /** Or else a process in mode auto would add its own queues to any number of theirs. */
  @Test
  void processesWithoutABudgetAreOnRecordAsWell() {
    assertThat(reports(Mode.AUTO)).isTrue();
    assertThat(reports(Mode.OWN)).isTrue();
    assertThat(reports(Mode.WHEEL)).isFalse();
  }
}
