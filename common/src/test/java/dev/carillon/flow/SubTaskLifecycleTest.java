package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.at;
import static dev.carillon.flow.FlowWorld.notice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.flow.SubTaskLifecycle.Answer;
import dev.carillon.flow.SubTaskLifecycle.Answer.Done;
import dev.carillon.queue.Notice;
import dev.carillon.store.UnreliableStore.AwayException;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is done in the store and at the broker for what users do with single runs. */
final class SubTaskLifecycleTest {

  private final FlowWorld world = new FlowWorld();
  private final List<Runnable> soon = new ArrayList<>();
  private final SubTaskLifecycle lifecycle = new SubTaskLifecycle(world.ports(), soon::add);
  private final Task task = world.store(Tasks.every(Duration.ofHours(1), 3));

  private static long indexOf(Answer answer) {
    return ((Done) answer).subTask().index();
  }

  @Test
  void whatWaitedIsTakenAwayAndTheTriggeredRunIsParked() {
    Notice before = notice(task);

    assertThat(indexOf(lifecycle.trigger(task.id()))).isEqualTo(-1);

    assertThat(world.queues.removed).containsExactly(before.queue());
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(notice(world.stored(task)).index()).isEqualTo(-1);
  }

  /** A worker may have been between storing the arming and parking it. */
  @Test
  void whatWaitedIsTakenAwayOnceMoreALittleLater() {
    lifecycle.trigger(task.id());
    world.queues.removed.clear();

    soon.forEach(Runnable::run);

    assertThat(world.queues.removed).containsExactly(notice(task).queue());
  }

  @Test
  void whileSomethingRunsNothingIsParkedForATriggeredRun() {
    world.setClock(at(3_600));
    world.claim(task, "worker");

    assertThat(indexOf(lifecycle.trigger(task.id()))).isEqualTo(-1);

    assertThat(world.queues.parked).isEmpty();
    assertThat(world.stored(task).subTask(-1).map(SubTask::status))
        .contains(SubTaskStatus.SCHEDULED);
  }

  @Test
  void whileTheBrokerIsAwayASweepParksTheTriggeredRun() {
    world.queues.refuses = any -> true;

    assertThat(indexOf(lifecycle.trigger(task.id()))).isEqualTo(-1);

    assertThat(world.stored(task).next().map(SubTask::status)).contains(SubTaskStatus.SCHEDULED);
    world.queues.refuses = any -> false;
    new Sweep(world.ports(), 10).sweepOnce();
    assertThat(world.queues.parked.get(1)).isEqualTo(notice(world.stored(task)));
  }

  @Test
  void whoeverIsSlowerDecidesAnew() {
    world.store.before(
        Operation.EXCHANGE, () -> world.exchange(task, world.chain.trigger(task, at(0))));

    assertThat(indexOf(lifecycle.trigger(task.id()))).isEqualTo(-2);
    assertThat(world.stored(task).extras().runs()).isEqualTo(2);
  }

  @Test
  void aStoreThatIsAwayComesOut() {
    world.store.fail(Operation.EXCHANGE);

    assertThatThrownBy(() -> lifecycle.trigger(task.id())).isInstanceOf(AwayException.class);
    assertThat(world.stored(task)).isEqualTo(task);
  }

  @Test
  void cancellingWhatIsParkedTakesItsQueueAwayAndParksTheNext() {
    assertThat(indexOf(lifecycle.cancel(task.id(), 0))).isZero();

    assertThat(world.queues.removed).containsExactly(notice(task).queue());
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(notice(world.stored(task)).index()).isEqualTo(1);
  }

  @Test
  void cancellingAnotherLeavesWhatIsParked() {
    assertThat(indexOf(lifecycle.cancel(task.id(), 2))).isEqualTo(2);
    assertThat(indexOf(lifecycle.cancel(task.id(), 2))).isEqualTo(2);

    assertThat(world.done).isEmpty();
    assertThat(notice(world.stored(task))).isEqualTo(notice(task));
  }

  @Test
  void aRetryThatIsWishedTwiceIsOne() {
    world.setClock(at(3_600));
    Task running = world.claim(task, "worker");
    world.exchange(
        running, world.chain.complete(running, new Outcome.Failed("no", false), at(3_600)));

    assertThat(indexOf(lifecycle.retry(task.id(), 0))).isZero();
    long version = world.stored(task).version();
    assertThat(indexOf(lifecycle.retry(task.id(), 0))).isZero();

    assertThat(world.stored(task).version()).isEqualTo(version);
    assertThat(notice(world.stored(task)).index()).isZero();
    assertThat(notice(world.stored(task)).attempt()).isEqualTo(2);
  }
}
