package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.LEASE;
import static dev.carillon.flow.FlowWorld.SECOND;
import static dev.carillon.flow.FlowWorld.at;
import static dev.carillon.flow.FlowWorld.notice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.flow.FlowWorld.Delivered;
import dev.carillon.store.UnreliableStore.AwayException;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Concurrency;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tasks that share a number of runs at a time. */
final class ConcurrencyKeyTest {

  private static final String KEY = "printer";

  private final FlowWorld world = new FlowWorld();
  private final Sweep sweep = new Sweep(world.ports(), 10);
  private final List<Task> runs = new ArrayList<>();
  private Runner action = won -> new Outcome.Succeeded();
  private final Firing firing =
      new Firing(
          world.ports(),
          won -> {
            runs.add(won.task());
            return action.run(won);
          },
          time -> {},
          new Firing.Settings("worker", LEASE, Duration.ofSeconds(30), Duration.ofMinutes(10)));

  private Task task(Duration interval, int limit) {
    return world.store(
        Tasks.every(interval, 1).toBuilder()
            .concurrency(Optional.of(new Concurrency(KEY, limit)))
            .build());
  }

  private Delivered fire(Task task) {
    Delivered delivered = world.delivered(world.stored(task));
    try {
      firing.fire(firing.arrived(delivered), () -> {});
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return delivered;
  }

  private SubTaskStatus status(Task task) {
    return world.stored(task).subTask(0).map(SubTask::status).orElseThrow();
  }

  @Test
  void whatMayNotStartWaitsInTheStoreAndStartsWhenAnotherHasEnded() {
    Task first = task(SECOND, 1);
    Task second = task(SECOND, 1);
    world.setClock(at(1));
    action =
        won -> {
          Delivered refused = fire(second);
          assertThat(refused.answers).containsExactly("ack");
          Task waiting = world.stored(second);
          assertThat(waiting.inLineSince()).contains(at(1));
          assertThat(waiting.wakeAt()).contains(at(11));
          assertThat(waiting.subTask(0).map(SubTask::status)).contains(SubTaskStatus.SCHEDULED);
          assertThat(runs).hasSize(1);
          world.queues.parked.clear();
          return new Outcome.Succeeded();
        };

    fire(first);

    assertThat(status(first)).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(world.stored(second).inLineSince()).isEmpty();
    assertThat(world.queues.parked).containsExactly(notice(world.stored(second)));
    action = won -> new Outcome.Succeeded();
    fire(second);
    assertThat(status(second)).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(world.memory.held(KEY, world.instant())).isZero();
  }

  @Test
  void asManyRunAtATimeAsMay() {
    List<Task> tasks = List.of(task(SECOND, 2), task(SECOND, 2), task(SECOND, 2));
    world.setClock(at(1));
    int[] depth = {0};
    action =
        won -> {
          depth[0]++;
          if (depth[0] < tasks.size()) {
            fire(tasks.get(depth[0]));
          }
          return new Outcome.Succeeded();
        };

    fire(tasks.get(0));

    assertThat(runs).extracting(Task::id).containsExactly(tasks.get(0).id(), tasks.get(1).id());
    assertThat(status(tasks.get(2))).isEqualTo(SubTaskStatus.PENDING);
  }

  @Test
  void theOneThatHasWaitedLongestIsLetIn() {
    Task running = task(SECOND, 1);
    Task late = task(SECOND.multipliedBy(3), 1);
    Task early = task(SECOND.multipliedBy(2), 1);
    world.setClock(at(1));
    action =
        won -> {
          world.setClock(at(4));
          fire(late);
          fire(early);
          return new Outcome.Succeeded();
        };

    fire(running);

    assertThat(world.stored(early).inLineSince()).isEmpty();
    assertThat(world.stored(late).inLineSince()).contains(at(3));
  }

  /** Nobody else would wake it before its time. */
  @Test
  void aPermitThatIsGivenBackWhileSomebodyBeginsToWaitIsNotMissed() {
    Task task = task(SECOND, 1);
    world.setClock(at(1));
    Task holder = task(SECOND, 1);
    Delivered[] other = {null};
    world.store.answer(Operation.TAKE, () -> false); // by somebody who has ended meanwhile

    other[0] = fire(task);

    assertThat(other[0].answers).containsExactly("ack");
    assertThat(world.stored(task).inLineSince()).isEmpty();
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(world.stored(holder).inLineSince()).isEmpty();
  }

  @Test
  void whatNobodyWakesIsTriedAgainBySweeps() {
    Task task = task(SECOND, 1);
    world.setClock(at(1));
    world.store.answer(Operation.TAKE, () -> false);
    world.store.fail(Operation.HELD); // the process dies there
    fire(task);
    assertThat(world.stored(task).inLineSince()).isPresent();

    world.setClock(world.stored(task).wakeAt().orElseThrow());
    sweep.sweepOnce();

    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    fire(task);
    assertThat(status(task)).isEqualTo(SubTaskStatus.SUCCEEDED);
  }

  @Test
  void theLongerItHasWaitedTheLongerTheNextPause() {
    Task task = task(SECOND, 1);
    Task tried = world.chain.waitInLine(task, at(1));
    assertThat(tried.wakeAt()).contains(at(11));
    Task again = world.chain.waitInLine(world.chain.wake(tried, at(31)), at(31));
    assertThat(again.wakeAt()).contains(at(61));
    Task muchLater = world.chain.waitInLine(world.chain.wake(again, at(1001)), at(1001));
    assertThat(muchLater.wakeAt()).contains(at(1061));
  }

  @Test
  void aWorkerThatIsLostLetsTheNextIn() {
    Task lost = task(SECOND, 1);
    Task waiting = task(SECOND, 1);
    world.setClock(at(1));
    action =
        won -> {
          throw new IllegalStateException("the process dies here");
        };
    assertThatThrownBy(() -> fire(lost)).isInstanceOf(IllegalStateException.class);
    fire(waiting);
    assertThat(world.stored(waiting).inLineSince()).isPresent();
    world.queues.parked.clear();

    world.setClock(at(1).plus(LEASE));
    Task taken = world.stored(waiting);
    world.exchange(taken, world.chain.waitInLine(taken, world.instant())); // not by its own time
    sweep.sweepOnce();

    assertThat(world.queues.parked)
        .containsExactlyInAnyOrder(notice(world.stored(lost)), notice(world.stored(waiting)));
  }

  @Test
  void aStartWhoseReplyGotLostKeepsItsPermit() {
    Task task = task(SECOND, 1);
    world.setClock(at(1));
    Delivered delivered = world.delivered(task);
    Firing.Arrival arrival = firing.arrived(delivered);
    world.store.loseReply(Operation.EXCHANGE);
    assertThatThrownBy(() -> firing.fire(arrival, () -> {})).isInstanceOf(AwayException.class);
    action =
        won -> {
          assertThat(world.memory.held(KEY, world.instant())).isEqualTo(1);
          return new Outcome.Succeeded();
        };

    fire(arrival);

    assertThat(runs).hasSize(1);
    assertThat(world.memory.held(KEY, world.instant())).isZero();
  }

  private void fire(Firing.Arrival arrival) {
    try {
      firing.fire(arrival, () -> {});
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whoIsTooLateForTheStartKeepsNoPermit() {
    Task task = task(SECOND, 1);
    world.setClock(at(1));
    world.store.before(
        Operation.EXCHANGE, () -> world.exchange(task, world.chain.cancel(task, world.instant())));

    Delivered delivered = fire(task);

    assertThat(delivered.answers).containsExactly("ack");
    assertThat(runs).isEmpty();
    assertThat(world.memory.held(KEY, world.instant())).isZero();
    assertThat(world.stored(task).status()).isEqualTo(TaskStatus.CANCELED);
  }

  @Test
  void oneThatCannotBePutRightDoesNotHoldUpTheLine() {
    Task running = task(SECOND, 1);
    Task damaged = task(SECOND, 1);
    Task waiting = task(SECOND.multipliedBy(2), 1);
    world.setClock(at(2));
    action =
        won -> {
          fire(damaged);
          fire(waiting);
          world.queues.hasNoNameFor = damaged.id()::equals;
          world.queues.parked.clear();
          return new Outcome.Succeeded();
        };

    fire(running);

    assertThat(world.queues.parked).containsExactly(notice(world.stored(waiting)));
  }

  @Test
  void whatIsCanceledInLineDoesNotStart() {
    Task running = task(SECOND, 1);
    Task waiting = task(SECOND, 1);
    world.setClock(at(1));
    action =
        won -> {
          fire(waiting);
          Task inLine = world.stored(waiting);
          world.exchange(inLine, world.chain.cancel(inLine, world.instant()));
          world.queues.parked.clear();
          return new Outcome.Succeeded();
        };

    fire(running);

    assertThat(runs).hasSize(1);
    assertThat(world.queues.parked).isEmpty();
    assertThat(world.stored(waiting).inLineSince()).isEmpty();
  }
}
