package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.task.TaskId;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class TopologyTest {

  private static final TaskId TASK = new TaskId("01hzy3v7k2m4n6p8r9s0t1v2w3");

  @Test
  void aPendingQueueIsNamedByIdsOnly() {
    Topology topology = new Topology("carillon", QueueType.QUORUM);
    assertThat(topology.pendingQueue(TASK, 4, 2, Instant.parse("2027-01-04T08:00:00.5Z"), 9))
        .isEqualTo("carillon.pending.01hzy3v7k2m4n6p8r9s0t1v2w3.4.2.1799049600500.9");
  }

  @Test
  void theLongestNameFits() {
    Topology topology = new Topology("x".repeat(100), QueueType.QUORUM);
    Instant latest = Instant.ofEpochMilli(Long.MAX_VALUE);
    assertThat(
            topology.pendingQueue(TASK, Long.MAX_VALUE, Integer.MAX_VALUE, latest, Long.MAX_VALUE))
        .hasSizeLessThanOrEqualTo(255);
  }
}
