package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.GRACE;
import static dev.carillon.flow.FlowWorld.HORIZON;
import static dev.carillon.flow.FlowWorld.LEASE;
import static dev.carillon.flow.FlowWorld.SECOND;
import static dev.carillon.flow.FlowWorld.at;
import static dev.carillon.flow.FlowWorld.notice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.queue.GivenUp;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.store.UnreliableStore.AwayException;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SweepTest {

  private static final int BATCH = 3;

  private final FlowWorld world = new FlowWorld();
  private final Sweep sweep = new Sweep(world.ports(), BATCH);

  @Test
  void whatIsNotOverdueIsLeftAlone() {
    Task task = world.store(Tasks.every(SECOND));
    world.setClock(at(1).plus(GRACE).minusMillis(1));

    assertThat(sweep.sweepOnce()).isFalse();

    assertThat(world.stored(task)).isEqualTo(task);
    assertThat(world.done).isEmpty();
  }

  @Test
  void whatHasComeWithinTheHorizonIsParked() {
    Task task = world.store(Tasks.every(HORIZON.plusHours(1)));
    assertThat(Notice.of(task)).isEmpty();
    world.setClock(at(0).plus(Duration.ofHours(1)));

    sweep.sweepOnce();

    assertThat(world.live(task).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(world.measured).containsExactly("swept arm");
  }

  @Test
  void aLostNoticeIsParkedOnceMoreAsTheSameArming() {
    Task task = world.store(Tasks.every(SECOND));
    world.setClock(at(1).plus(GRACE));

    sweep.sweepOnce();

    assertThat(world.queues.parked).containsExactly(notice(task));
    assertThat(world.stored(task).wakeAt().orElseThrow()).isAfter(world.instant());
    assertThat(world.measured).containsExactly("swept lost-notice");
  }

  /** So many workers claim the sub-task one after the other, and die. */
  private void loseWorkers(Task task, int workers) {
    for (int i = 1; i <= workers; i++) {
      if (world.instant().isBefore(at(1))) {
        world.setClock(at(1));
      }
      world.claim(task, "worker-" + i);
      world.setClock(world.instant().plus(LEASE));
      sweep.sweepOnce();
    }
  }

  @Test
  void aSubTaskThatKillsItsWorkersIsGivenUpAndWordOfItPutAside() {
    Task task = world.store(Tasks.every(SECOND, 2));
    Task other = world.store(Tasks.every(Duration.ofHours(1)));
    loseWorkers(task, 2);
    assertThat(world.parked.list(10)).isEmpty();

    loseWorkers(task, 1);

    Task after = world.stored(task);
    assertThat(after.subTask(0).map(SubTask::status)).contains(SubTaskStatus.FAILED);
    assertThat(world.parked.list(10))
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.task()).contains(task.id());
              assertThat(message.index()).hasValue(0);
              assertThat(message.reason())
                  .isEqualTo(
                      "3 workers were lost with sub-task 0 of task \"task\", the last was worker-1;"
                          + " it is FAILED");
            });
    assertThat(world.queues.parked).last().as("its chain goes on").isEqualTo(notice(after));
    assertThat(world.stored(other)).isEqualTo(other);
  }

  @Test
  void wordThatCannotBePutAsideIsKeptForTheNextSweep() {
    GivenUp filling = new GivenUp(Tasks.id(99), 0, "somebody else's");
    for (int i = 0; i < ParkedMessages.REACH; i++) {
      world.parked.park(filling);
    }
    Task task = world.store(Tasks.every(SECOND, 2));
    loseWorkers(task, 3);
    assertThat(world.parked.list(ParkedMessages.REACH))
        .noneMatch(message -> message.task().equals(Optional.of(task.id())));

    world.parked.drop(world.parked.list(1).get(0).id());
    sweep.sweepOnce();
    world.parked.drop(world.parked.list(1).get(0).id());
    sweep.sweepOnce();

    assertThat(world.parked.list(ParkedMessages.REACH))
        .filteredOn(message -> message.task().equals(Optional.of(task.id())))
        .hasSize(1);
  }

  @Test
  void nobodyIsMadeToLookAtACanceledTask() {
    Task task = world.store(Tasks.every(SECOND, 2));
    loseWorkers(task, 2);
    Task held = world.claim(task, "worker-3");
    world.exchange(held, world.chain.cancel(held, world.instant()));
    world.setClock(world.instant().plus(LEASE));

    sweep.sweepOnce();

    assertThat(world.parked.list(10)).isEmpty();
  }

  @Test
  void whatASilentWorkerHeldIsParkedForNow() {
    Task task = world.store(Tasks.every(SECOND));
    world.setClock(at(1));
    Task held = world.claim(task, "silent");
    world.setClock(at(1).plus(LEASE));

    sweep.sweepOnce();

    Task takenOver = world.stored(task);
    assertThat(takenOver.claim()).isEmpty();
    assertThat(takenOver.token()).isGreaterThan(held.token());
    assertThat(world.queues.parked).containsExactly(notice(takenOver));
    assertThat(world.queues.parked.get(0).runAt()).isEqualTo(world.instant());
    assertThat(world.measured).containsExactly("swept lost-worker");
  }

  @Test
  void aCanceledTaskThatASilentWorkerHeldComesToItsEnd() {
    Task task = world.store(Tasks.every(SECOND));
    world.setClock(at(1));
    Task held = world.claim(task, "silent");
    world.exchange(held, world.chain.cancel(held, at(2)));
    world.setClock(at(1).plus(LEASE));

    sweep.sweepOnce();

    Task ended = world.stored(task);
    assertThat(ended.status()).isEqualTo(TaskStatus.CANCELED);
    assertThat(ended.claim()).isEmpty();
    assertThat(ended.wakeAt()).isEmpty();
    assertThat(world.queues.parked).isEmpty();
  }

  @Test
  void theMostUrgentComeFirstAndThereMayBeMore() {
    Task third = world.store(Tasks.every(SECOND.multipliedBy(3)));
    Task first = world.store(Tasks.every(SECOND));
    Task fourth = world.store(Tasks.every(SECOND.multipliedBy(4)));
    Task second = world.store(Tasks.every(SECOND.multipliedBy(2)));
    world.setClock(at(60));

    assertThat(sweep.sweepOnce()).isTrue();
    assertThat(world.queues.parked)
        .extracting(Notice::task)
        .containsExactly(first.id(), second.id(), third.id());

    assertThat(sweep.sweepOnce()).isFalse();
    assertThat(world.queues.parked).extracting(Notice::task).last().isEqualTo(fourth.id());
  }

  @Test
  void whileNoticesCannotBeParkedNothingIsDone() {
    Task task = world.store(Tasks.every(SECOND));
    world.setClock(at(60));
    world.queues.available = false;

    assertThat(sweep.sweepOnce()).isFalse();

    assertThat(world.stored(task)).isEqualTo(task);
    assertThat(world.store.calls(Operation.OVERDUE)).isZero();

    world.queues.available = true;
    sweep.sweepOnce();
    assertThat(world.queues.parked).containsExactly(notice(task));
  }

  @Test
  void whatCannotBeParkedStaysDue() {
    Task task = world.store(Tasks.every(HORIZON.plusHours(1)));
    world.setClock(at(0).plus(Duration.ofHours(1)));
    world.queues.refuses = notice -> true;

    sweep.sweepOnce();

    assertThat(world.live(task).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(world.stored(task).wakeAt()).contains(world.instant());

    world.queues.refuses = notice -> false;
    sweep.sweepOnce();
    assertThat(world.queues.parked).last().isEqualTo(notice(world.stored(task)));
  }

  @Test
  void whatSomebodyElseWasFasterWithIsLeftToThem() {
    Task task = world.store(Tasks.every(SECOND));
    world.setClock(at(1).plus(GRACE));
    world.store.before(Operation.EXCHANGE, () -> world.claim(task, "late worker"));

    assertThat(sweep.sweepOnce()).isFalse();

    assertThat(world.stored(task).claim()).isPresent();
    assertThat(world.done).isEmpty();
    assertThat(world.measured).isEmpty();
  }

  @Test
  void aLeaseThatIsExtendedAtTheLastMomentIsNotTakenOver() {
    Task task = world.store(Tasks.every(SECOND));
    world.setClock(at(1));
    Task held = world.claim(task, "slow");
    world.setClock(at(1).plus(LEASE));
    world.store.before(
        Operation.EXCHANGE,
        () ->
            world.memory.extend(List.of(held.claim().orElseThrow()), world.instant().plus(LEASE)));

    sweep.sweepOnce();

    assertThat(world.stored(task).claim()).isEqualTo(held.claim());
    assertThat(world.done).isEmpty();
  }

  @Test
  void oneTaskThatCannotBePutRightDoesNotKeepTheOthersFromIt() {
    Task damaged = world.store(Tasks.every(HORIZON.plusHours(1)));
    Task sound = world.store(Tasks.every(HORIZON.plusHours(1)));
    world.setClock(at(0).plus(Duration.ofHours(1)));
    world.queues.hasNoNameFor = damaged.id()::equals;

    sweep.sweepOnce();

    assertThat(world.queues.parked).containsExactly(notice(world.stored(sound)));
    assertThat(world.stored(damaged)).isEqualTo(damaged);
  }

  @Test
  void aBatchThatGetsNowhereIsNotTriedAgainAtOnce() {
    for (int i = 0; i < BATCH; i++) {
      world.store(Tasks.every(HORIZON.plusHours(1)));
    }
    world.setClock(at(0).plus(Duration.ofHours(1)));
    world.queues.hasNoNameFor = any -> true;

    assertThat(sweep.sweepOnce()).isFalse();
  }

  @Test
  void whenTheStoreIsAwayItsExceptionComesOutAndNothingIsParked() {
    Task task = world.store(Tasks.every(SECOND));
    world.setClock(at(1).plus(GRACE));
    world.store.fail(Operation.EXCHANGE);

    assertThatThrownBy(sweep::sweepOnce).isInstanceOf(AwayException.class);
    assertThat(world.done).isEmpty();

    sweep.sweepOnce();
    assertThat(world.queues.parked).containsExactly(notice(task));
  }
}
