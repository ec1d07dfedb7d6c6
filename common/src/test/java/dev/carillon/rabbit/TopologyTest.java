package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.task.Parking.Arming;
import dev.carillon.task.Priority;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TopologyTest {

  private static final TaskId TASK = new TaskId("01hzy3v7k2m4n6p8r9s0t1v2w3");

  private static Topology topology(String prefix) {
    return new Topology(prefix, QueueType.QUORUM, Optional.empty());
  }

  @Test
  void aPendingQueueIsNamedByIdsOnly() {
    Instant runAt = Instant.parse("2027-01-04T08:00:00.5Z");
    assertThat(topology("carillon").pendingQueue(new Arming(TASK, 4, 2, runAt, 9)))
        .isEqualTo("carillon.pending.01hzy3v7k2m4n6p8r9s0t1v2w3.4.2.1799049600500.9");
  }

  @Test
  void theLongestNameFits() {
    Instant latest = Instant.ofEpochMilli(Long.MAX_VALUE);
    Arming longest = new Arming(TASK, Long.MAX_VALUE, Integer.MAX_VALUE, latest, Long.MAX_VALUE);
    assertThat(topology("x".repeat(100)).pendingQueue(longest)).hasSizeLessThanOrEqualTo(255);
  }

  @Test
  void ownQueuesAndSlotsAreToldApart() {
    Topology topology = topology("carillon");
    String own = topology.pendingQueue(new Arming(TASK, 4, 2, Instant.EPOCH, 9));
    String slot = topology.slotQueue("64x1000.07");

    assertThat(slot).isEqualTo("carillon.wheel.64x1000.07");
    assertThat(topology.isOwnQueue(own)).isTrue();
    assertThat(topology.isSlotQueue(own)).isFalse();
    assertThat(topology.isOwnQueue(slot)).isFalse();
    assertThat(topology.isSlotQueue(slot)).isTrue();
    for (Priority priority : Priority.values()) {
      assertThat(topology.isOwnQueue(topology.workQueue(priority))).isFalse();
    }
  }

  @Test
  void eachPriorityHasItsWorkQueue() {
    Topology topology = topology("carillon");
    assertThat(topology.workQueue(Priority.NORMAL)).isEqualTo("carillon.work");
    assertThat(topology.workQueue(Priority.HIGH)).isEqualTo("carillon.work.high");
    assertThat(topology.workQueue(Priority.LOW)).isEqualTo("carillon.work.low");
  }
}
