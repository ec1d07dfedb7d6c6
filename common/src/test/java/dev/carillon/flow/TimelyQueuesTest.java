package dev.carillon.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.ops.StoreClock;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.task.Task;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TimelyQueuesTest {

  private final FlowWorld world = new FlowWorld();
  private final StoreClock clock = new StoreClock(world, world::instant, StoreClock.DEFAULT_LIMIT);
  private final TimelyQueues queues = new TimelyQueues(world.queues, clock);

  @Test
  void takeNothingAndSayWhyUntilTheClockIsReliable() {
    Task task = world.store(Tasks.every(Duration.ofSeconds(2)));

    assertThat(queues.isAvailable()).isFalse();
    assertThat(queues.park(List.of(FlowWorld.notice(task))))
        .singleElement()
        .isInstanceOfSatisfying(
            ParkAnswer.NotParked.class,
            refusal -> assertThat(refusal.reason()).contains("clock", "not compared"));
    assertThat(world.done).isEmpty();

    clock.refresh();
    assertThat(queues.isAvailable()).isTrue();
    assertThat(queues.park(List.of(FlowWorld.notice(task))))
        .containsExactly(new ParkAnswer.Parked());
    assertThat(world.done).hasSize(1);
  }

  @Test
  void aSweepLeavesWhatIsOverdueToOthersUntilThen() {
    Task task = world.store(Tasks.every(Duration.ofSeconds(2)));
    world.setClock(task.wakeAt().orElseThrow().plus(Duration.ofHours(1)));
    Ports ports = world.ports();
    Sweep sweep =
        new Sweep(
            new Ports(
                ports.store(),
                ports.keys(),
                queues,
                ports.parked(),
                ports.chain(),
                clock,
                ports.metrics()),
            10);

    sweep.sweepOnce();
    assertThat(world.stored(task)).isEqualTo(task);

    clock.refresh();
    sweep.sweepOnce();
    assertThat(world.stored(task).version()).isGreaterThan(task.version());
  }
}
