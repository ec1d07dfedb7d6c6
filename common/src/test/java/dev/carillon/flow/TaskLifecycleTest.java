package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.HORIZON;
import static dev.carillon.flow.FlowWorld.SECOND;
import static dev.carillon.flow.FlowWorld.at;
import static dev.carillon.flow.FlowWorld.notice;
import static dev.carillon.flow.FlowWorld.queueOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.flow.TaskLifecycle.CancelAnswer;
import dev.carillon.queue.Notice;
import dev.carillon.store.ClaimAnswer.Gone;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.UnreliableStore.AwayException;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TaskLifecycleTest {

  private final FlowWorld world = new FlowWorld();

  /** What is to be done a few seconds later. */
  private final List<Runnable> soon = new ArrayList<>();

  private final TaskLifecycle lifecycle =
      new TaskLifecycle(world.ports(), new Random(42), soon::add);

  private Task create(TaskDefinition definition) {
    return lifecycle.create(definition).orElseThrow();
  }

  private void runSoon() {
    List.copyOf(soon).forEach(Runnable::run);
    soon.clear();
  }

  @Test
  void aNewTaskIsStoredAndThenParked() {
    world.store.before(Operation.INSERT, () -> world.done.add("insert"));

    Task task = create(Tasks.every(SECOND, 3));

    assertThat(world.done).containsExactly("insert", "park");
    assertThat(world.stored(task)).isEqualTo(task);
    assertThat(world.queues.parked).containsExactly(notice(task));
    assertThat(world.measured).containsExactly("created");
  }

  @Test
  void aTaskBeyondTheHorizonIsStoredOnly() {
    Task task = create(Tasks.every(HORIZON.plusHours(1)));

    assertThat(world.stored(task)).isEqualTo(task);
    assertThat(world.queues.parked).isEmpty();
  }

  @Test
  void aScheduleWithNoInstantLeftGivesNoTask() {
    TaskDefinition over =
        Tasks.definition(
            Map.of("interval", "PT1S", "startTime", at(1).toString(), "endTime", at(2).toString()));
    world.setClock(at(3));

    assertThat(lifecycle.create(over)).isEmpty();

    assertThat(world.store.calls(Operation.INSERT)).isZero();
    assertThat(world.measured).isEmpty();
  }

  @Test
  void whileTheBrokerIsAwayTasksAreCreatedAndLeftToTheSweep() {
    world.queues.refuses = notice -> true;

    Task task = create(Tasks.every(SECOND, 3));

    assertThat(world.live(task).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(world.stored(task).wakeAt()).contains(world.instant());

    world.queues.refuses = notice -> false;
    new Sweep(world.ports(), 10).sweepOnce();
    assertThat(world.queues.parked).last().isEqualTo(notice(world.stored(task)));
  }

  @Test
  void aTaskThatCouldNotBeParkedNorMarkedIsCreatedAllTheSame() {
    world.queues.refuses = notice -> true;
    world.store.fail(Operation.EXCHANGE);

    Task task = create(Tasks.every(SECOND, 3));

    assertThat(world.stored(task).wakeAt()).contains(at(1).plus(FlowWorld.GRACE));
  }

  @Test
  void whileTheStoreIsAwayNothingIsCreated() {
    world.store.fail(Operation.INSERT);

    assertThatThrownBy(() -> lifecycle.create(Tasks.every(SECOND, 3)))
        .isInstanceOf(AwayException.class);

    assertThat(world.queues.parked).isEmpty();
    assertThat(world.measured).isEmpty();
  }

  @Test
  void twoTasksOfOneInstantHaveDifferentIds() {
    assertThat(create(Tasks.every(SECOND)).id()).isNotEqualTo(create(Tasks.every(SECOND)).id());
  }

  @Test
  void cancelTakesTheQueueAwayNowAndOnceMoreSoon() {
    Task task = create(Tasks.every(SECOND, 3));
    String queue = queueOf(task).orElseThrow();

    assertThat(lifecycle.cancel(task.id())).isEqualTo(CancelAnswer.CANCELED);

    assertThat(world.stored(task).status()).isEqualTo(TaskStatus.CANCELED);
    assertThat(world.queues.removed).containsExactly(queue);
    runSoon();
    assertThat(world.queues.removed).containsExactly(queue, queue);
    assertThat(world.measured).containsExactly("created", "canceled");
  }

  @Test
  void afterACancelNothingStarts() {
    Task task = create(Tasks.every(SECOND, 3));
    Notice notice = notice(task);
    lifecycle.cancel(task.id());

    assertThat(
            world.memory.claim(
                List.of(new ClaimRequest(notice, "worker", "claim")), at(1), FlowWorld.LEASE))
        .containsExactly(new Gone());
  }

  @Test
  void cancelIsStoredBeforeTheQueueIsTakenAway() {
    Task task = create(Tasks.every(SECOND, 3));
    world.done.clear();
    world.store.before(Operation.EXCHANGE, () -> world.done.add("exchange"));

    lifecycle.cancel(task.id());

    assertThat(world.done).containsExactly("exchange", "remove");
  }

  @Test
  void cancelingAgainChangesNothing() {
    Task task = create(Tasks.every(SECOND, 3));
    lifecycle.cancel(task.id());
    Task canceled = world.stored(task);

    assertThat(lifecycle.cancel(task.id())).isEqualTo(CancelAnswer.CANCELED);

    assertThat(world.stored(task)).isEqualTo(canceled);
    assertThat(world.measured).containsExactly("created", "canceled");
  }

  @Test
  void anUnknownTaskCannotBeCanceled() {
    assertThat(lifecycle.cancel(Tasks.id(99))).isEqualTo(CancelAnswer.UNKNOWN);
  }

  @Test
  void aFinishedTaskCannotBeCanceled() {
    Task task = create(Tasks.every(SECOND, 1));
    world.setClock(at(1));
    Task claimed = world.claim(task, "worker");
    world.exchange(claimed, world.chain.complete(claimed, new Outcome.Succeeded(), at(1)));

    assertThat(lifecycle.cancel(task.id())).isEqualTo(CancelAnswer.FINISHED);
    assertThat(world.queues.removed).isEmpty();
  }

  @Test
  void cancelTriesAgainWhenAWorkerWasFaster() {
    Task task = create(Tasks.every(SECOND, 3));
    world.setClock(at(1));
    world.store.before(Operation.EXCHANGE, () -> world.claim(task, "worker"));
    world.store.before(
        Operation.EXCHANGE,
        () -> {
          Task claimed = world.stored(task);
          world.exchange(claimed, world.chain.complete(claimed, new Outcome.Succeeded(), at(1)));
        });

    assertThat(lifecycle.cancel(task.id())).isEqualTo(CancelAnswer.CANCELED);

    Task canceled = world.stored(task);
    assertThat(canceled.status()).isEqualTo(TaskStatus.CANCELED);
    assertThat(canceled.tally().succeeded()).isEqualTo(1);
    assertThat(canceled.tally().canceled()).isEqualTo(2);
    assertThat(world.store.calls(Operation.EXCHANGE)).isEqualTo(3);
    assertThat(world.queues.removed)
        .as("the queue of the arming that was canceled")
        .hasSize(1)
        .doesNotContain(queueOf(task).orElseThrow());
  }

  @Test
  void whatRunsAlreadyMayEnd() {
    Task task = create(Tasks.every(SECOND, 3));
    world.setClock(at(1));
    Task claimed = world.claim(task, "worker");

    assertThat(lifecycle.cancel(task.id())).isEqualTo(CancelAnswer.CANCELED);

    Task canceled = world.stored(task);
    assertThat(canceled.claim()).isEqualTo(claimed.claim());
    assertThat(canceled.subTask(0).map(SubTask::status)).contains(SubTaskStatus.RUNNING);
    assertThat(world.queues.removed).isEmpty();
    assertThat(soon).isEmpty();
  }

  @Test
  void whileTheStoreIsAwayTheQueueStays() {
    Task task = create(Tasks.every(SECOND, 3));
    world.store.fail(Operation.EXCHANGE);

    assertThatThrownBy(() -> lifecycle.cancel(task.id())).isInstanceOf(AwayException.class);

    assertThat(world.stored(task)).isEqualTo(task);
    assertThat(world.queues.removed).isEmpty();
  }
}
