package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.LEASE;
import static dev.carillon.flow.FlowWorld.SECOND;
import static dev.carillon.flow.FlowWorld.at;
import static dev.carillon.flow.FlowWorld.notice;
import static dev.carillon.flow.FlowWorld.queueOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.flow.Firing.Arrival;
import dev.carillon.flow.FlowWorld.Delivered;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.UnreliableStore.AwayException;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.MisfirePolicy;
import dev.carillon.task.Outcome;
import dev.carillon.task.Overlap;
import dev.carillon.task.Priority;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FiringTest {

  private static final Duration LONGEST_HOLD = Duration.ofSeconds(30);
  private static final Duration ACK_EARLY_FROM = Duration.ofMinutes(10);
  private static final Outcome SUCCEEDED = new Outcome.Succeeded();

  private FlowWorld world = new FlowWorld();
  private Firing firing = firing();
  private final List<Won> runs = new ArrayList<>();
  private final List<Duration> pauses = new ArrayList<>();

  /** What happens while the action runs, and how it ends. */
  private Runner action = won -> SUCCEEDED;

  private Pause pause = pauses::add;

  private Task task = world.store(Tasks.every(SECOND, 3));

  private Firing firing() {
    return new Firing(
        world.ports(),
        won -> {
          world.done.add("run");
          runs.add(won);
          return action.run(won);
        },
        time -> pause.await(time),
        new Firing.Settings("worker", LEASE, LONGEST_HOLD, ACK_EARLY_FROM));
  }

  /** What happens from the arrival of a notice on, at the right time. */
  private void fire(Delivered delivery) throws InterruptedException {
    Arrival arrival = firing.arrived(delivery);
    if (world.instant().isBefore(arrival.fireAt())) {
      world.setClock(arrival.fireAt());
    }
    firing.fire(arrival, () -> {});
  }

  private void taskIs(TaskDefinition definition) {
    task = world.store(definition);
  }

  private static TaskDefinition withTimeout(Duration timeout) {
    TaskDefinition definition = Tasks.every(SECOND, 3);
    return definition.toBuilder().timeout(timeout).build();
  }

  private static TaskDefinition overlapping(int times) {
    TaskDefinition definition = Tasks.every(SECOND, times);
    return definition.toBuilder().overlap(Overlap.ALLOW).priority(Priority.NORMAL).build();
  }

  @Test
  void theNextIsParkedBeforeTheActionRunsIfTheyMayOverlap() throws InterruptedException {
    taskIs(overlapping(3));
    action =
        won -> {
          assertThat(world.stored(task).next().map(SubTask::index)).contains(1L);
          assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
          return SUCCEEDED;
        };

    fire(world.delivered(task));

    assertThat(world.done).containsExactly("remove", "park", "run", "ack");
    assertThat(runs.get(0).subTask().index()).isZero();
    assertThat(world.stored(task).subTask(0).map(SubTask::status))
        .contains(SubTaskStatus.SUCCEEDED);
    assertThat(world.stored(task).next().map(SubTask::status)).contains(SubTaskStatus.PENDING);
  }

  @Test
  void aStartInWhichSomebodyWasFasterIsTriedAgain() throws InterruptedException {
    taskIs(overlapping(3));
    world.store.before(
        Operation.EXCHANGE, () -> world.exchange(task, world.chain.trigger(task, world.instant())));

    fire(world.delivered(task));

    assertThat(runs).extracting(won -> won.subTask().index()).containsExactly(0L);
    assertThat(world.stored(task).subTask(-1)).isPresent();
  }

  @Test
  void aStartWhoseReplyGotLostIsFoundAgain() throws InterruptedException {
    taskIs(overlapping(3));
    Arrival arrival = firing.arrived(world.delivered(task));
    world.setClock(at(1));
    world.store.loseReply(Operation.EXCHANGE);
    assertThatThrownBy(() -> firing.fire(arrival, () -> {})).isInstanceOf(AwayException.class);
    assertThat(runs).isEmpty();

    firing.fire(arrival, () -> {});

    assertThat(runs).hasSize(1);
    assertThat(world.stored(task).leases()).isEmpty();
    assertThat(world.stored(task).subTask(0).map(SubTask::attempt)).contains(1);
  }

  @Test
  void twoThatOverlapAreRecordedEach() throws InterruptedException {
    taskIs(overlapping(3));
    action =
        won -> {
          if (won.subTask().index() == 0) {
            world.setClock(at(2));
            fireUninterrupted(firing.arrived(world.delivered(world.stored(task))));
          }
          return SUCCEEDED;
        };

    fire(world.delivered(task));

    assertThat(runs).extracting(won -> won.subTask().index()).containsExactly(0L, 1L);
    assertThat(world.stored(task).tally().succeeded()).isEqualTo(2);
    assertThat(world.stored(task).next().map(SubTask::index)).contains(2L);
  }

  private void fireUninterrupted(Arrival arrival) {
    try {
      firing.fire(arrival, () -> {});
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTriggeredRunGivesTheArmingBack() throws InterruptedException {
    Task triggered = world.chain.trigger(task, at(0));
    world.exchange(task, triggered);

    fire(world.delivered(triggered));

    assertThat(runs).extracting(won -> won.subTask().index()).containsExactly(-1L);
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(notice(world.stored(task)).index()).isZero();
  }

  /** What a task that cannot overlap costs: a claim and an exchange. */
  @Test
  void anOrdinaryFiringTakesTwoWrites() throws InterruptedException {
    int claims = world.store.calls(Operation.CLAIM);
    int exchanges = world.store.calls(Operation.EXCHANGE);

    fire(world.delivered(task));

    assertThat(world.store.calls(Operation.CLAIM) - claims).isEqualTo(1);
    assertThat(world.store.calls(Operation.EXCHANGE) - exchanges).isEqualTo(1);
    assertThat(world.store.calls(Operation.FIND)).isZero();
  }

  @Test
  void aFiringGoesFromItsNoticeToTheNextOneParked() throws InterruptedException {
    Delivered delivery = world.delivered(task);
    action =
        won -> {
          assertThat(world.live(task).status()).isEqualTo(SubTaskStatus.RUNNING);
          world.store.before(Operation.EXCHANGE, () -> world.done.add("advance"));
          world.setClock(at(1).plusMillis(200));
          return SUCCEEDED;
        };

    fire(delivery);

    assertThat(world.done).containsExactly("remove", "run", "advance", "park", "ack");
    assertThat(world.queues.removed).containsExactly(queueOf(task).orElseThrow());
    assertThat(runs.get(0).task().live().orElseThrow().index()).isZero();
    Task next = world.stored(task);
    assertThat(next.subTask(0).map(SubTask::status)).contains(SubTaskStatus.SUCCEEDED);
    assertThat(next.cursor()).isEqualTo(1);
    assertThat(next.claim()).isEmpty();
    assertThat(world.queues.parked).containsExactly(notice(next));
    assertThat(world.measured).containsExactly("started PT0S", "succeeded PT0.2S");
  }

  @Test
  void theLastFiringParksNothing() throws InterruptedException {
    taskIs(Tasks.every(SECOND, 1));

    fire(world.delivered(task));

    assertThat(world.stored(task).status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(world.done).containsExactly("remove", "run", "ack");
  }

  @Test
  void aFailedAttemptIsFollowedByAnother() throws InterruptedException {
    action = won -> new Outcome.Failed("no answer", true);

    fire(world.delivered(task));

    SubTask live = world.live(task);
    assertThat(live.index()).isZero();
    assertThat(live.error()).contains("no answer");
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(world.queues.parked.get(0).attempt()).isEqualTo(2);
    assertThat(world.queues.parked.get(0).runAt()).isBetween(at(11), at(12));
    assertThat(world.measured).last().isEqualTo("failed PT0S");
  }

  @Test
  void anAttemptThatIsHandedBackIsParkedForNow() throws InterruptedException {
    action =
        won -> {
          world.setClock(at(4));
          return new Outcome.HandedBack();
        };

    fire(world.delivered(task));

    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(world.queues.parked.get(0).index()).isZero();
    assertThat(world.queues.parked.get(0).runAt()).isEqualTo(at(4));
    assertThat(world.live(task).failedAttempts()).isZero();
    assertThat(world.measured).last().isEqualTo("handed-back PT3S");
  }

  @Test
  void aNoticeThatIsALittleEarlyIsHeld() {
    world.setClock(at(1).minus(LONGEST_HOLD));

    Arrival arrival = firing.arrived(world.delivered(task));

    assertThat(arrival.fireAt()).isEqualTo(at(1));
    assertThat(world.done).containsExactly("remove");
  }

  @Test
  void aNoticeThatIsFarTooEarlyIsParkedAgainForTheRestOfItsTime() throws InterruptedException {
    Instant farTooEarly = at(1).minus(LONGEST_HOLD).minusMillis(1);
    world.setClock(farTooEarly);
    Delivered delivery = world.delivered(task);

    Arrival arrival = firing.arrived(delivery);
    assertThat(arrival.fireAt()).as("at once, so that nobody holds it").isEqualTo(farTooEarly);
    assertThat(world.queues.parked).as("arrivals do not wait for the broker").isEmpty();
    firing.fire(arrival, () -> {});

    assertThat(world.done).containsExactly("remove", "park", "ack");
    assertThat(world.queues.parked).containsExactly(delivery.notice());
    assertThat(world.stored(task)).isEqualTo(task);
    assertThat(world.measured).containsExactly("dropped too-early");
  }

  @Test
  void aNoticeThatIsFarTooEarlyAndCannotBeParkedIsLeftToASweep() throws InterruptedException {
    world.setClock(at(1).minus(LONGEST_HOLD.multipliedBy(2)));
    world.queues.refuses = notice -> true;

    fire(world.delivered(task));

    assertThat(world.done).containsExactly("remove", "park", "ack");
    assertThat(world.measured).containsExactly("dropped too-early", "not parked");
    assertThat(world.stored(task).wakeAt()).contains(at(1).plus(FlowWorld.GRACE));
  }

  @Test
  void whenTheClockIsPutBackTheNoticeIsParkedAgainRatherThanFiredEarly()
      throws InterruptedException {
    Delivered delivery = world.delivered(task);
    world.setClock(at(1));
    Arrival arrival = firing.arrived(delivery);
    world.setClock(at(1).minusMillis(1));

    firing.fire(arrival, () -> {});

    assertThat(runs).isEmpty();
    assertThat(world.queues.parked).containsExactly(delivery.notice());
    assertThat(delivery.answers).containsExactly("ack");
  }

  @Test
  void whatSomebodyElseRunsIsLeftToThem() throws InterruptedException {
    Delivered delivery = world.delivered(task);
    world.setClock(at(1));
    Task held = world.claim(task, "other");

    fire(delivery);

    assertThat(world.done).containsExactly("remove", "ack");
    assertThat(world.stored(task)).isEqualTo(held);
    assertThat(world.measured).containsExactly("dropped held");
  }

  @Test
  void nothingOfACanceledTaskStarts() throws InterruptedException {
    Delivered delivery = world.delivered(task);
    world.exchange(task, world.chain.cancel(task, at(0)));

    fire(delivery);

    assertThat(world.done).containsExactly("remove", "ack");
    assertThat(world.measured).containsExactly("dropped gone");
  }

  @Test
  void aClaimThatAPauseHasOvertakenIsGivenBackAtOnceAndUnbegun() throws InterruptedException {
    Delivered delivery = world.delivered(task);
    world.setClock(at(1));
    Arrival arrival = firing.arrived(delivery);
    world.store.loseReply(Operation.CLAIM);
    assertThatThrownBy(() -> firing.fire(arrival, () -> {})).isInstanceOf(AwayException.class);
    Task claimed = world.stored(task);
    world.exchange(claimed, world.chain.edit(claimed, claimed.definition(), true, at(1)));

    firing.fire(arrival, () -> {});

    Task paused = world.stored(task);
    assertThat(runs).isEmpty();
    assertThat(paused.claim()).isEmpty();
    assertThat(paused.subTask(0).map(SubTask::attempt)).contains(0);
    assertThat(paused.wakeAt()).isEmpty();
    assertThat(world.measured).containsExactly("dropped gone");
    assertThat(delivery.answers).containsExactly("ack");
  }

  @Test
  void nothingOfAnUnknownTaskStarts() throws InterruptedException {
    Task unknown = world.chain.create(Tasks.id(99), Tasks.every(SECOND, 3), at(0)).orElseThrow();

    fire(world.delivered(unknown));

    assertThat(world.done).containsExactly("remove", "ack");
    assertThat(world.measured).containsExactly("dropped gone");
  }

  @Test
  void aDuplicateOfAPassedNoticeDies() throws InterruptedException {
    Delivered duplicate = world.delivered(task);
    fire(world.delivered(task));
    world.done.clear();

    fire(duplicate);

    assertThat(world.done).containsExactly("remove", "ack");
    assertThat(runs).hasSize(1);
    assertThat(world.measured).last().isEqualTo("dropped passed");
  }

  @Test
  void aPassedNoticeThatIsRedeliveredHasTheCurrentSubTaskParkedAgain() throws InterruptedException {
    Delivered redelivered = world.redelivered(task);
    world.setClock(at(1));
    Task claimed = world.claim(task, "died between advance and park");
    world.exchange(claimed, world.chain.complete(claimed, SUCCEEDED, at(1)));

    fire(redelivered);

    assertThat(world.done).containsExactly("remove", "park", "ack");
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(world.queues.parked.get(0).index()).isEqualTo(1);
    assertThat(runs).isEmpty();
  }

  @Test
  void whatCannotBeParkedIsMarkedForTheNextSweep() throws InterruptedException {
    world.queues.refuses = notice -> true;

    fire(world.delivered(task));

    Task next = world.stored(task);
    assertThat(next.live().orElseThrow().status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(next.wakeAt()).contains(world.instant());
    assertThat(world.done).endsWith("park", "ack");
    assertThat(world.measured).last().isEqualTo("not parked");
  }

  @Test
  void whatCanNeitherBeParkedNorMarkedWaitsForItsGrace() throws InterruptedException {
    world.queues.refuses =
        notice -> {
          world.store.fail(Operation.EXCHANGE);
          return true;
        };
    Delivered delivery = world.delivered(task);

    fire(delivery);

    Task next = world.stored(task);
    assertThat(next.live().orElseThrow().status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(next.wakeAt()).contains(at(2).plus(FlowWorld.GRACE));
    assertThat(delivery.answers).containsExactly("ack");
  }

  @Test
  void aCancelDuringTheRunStands() throws InterruptedException {
    action =
        won -> {
          world.exchange(won.task(), world.chain.cancel(won.task(), at(1)));
          return SUCCEEDED;
        };

    fire(world.delivered(task));

    Task canceled = world.stored(task);
    assertThat(canceled.status()).isEqualTo(TaskStatus.CANCELED);
    assertThat(canceled.subTask(0).map(SubTask::status)).contains(SubTaskStatus.SUCCEEDED);
    assertThat(canceled.claim()).isEmpty();
    assertThat(canceled.wakeAt()).isEmpty();
    assertThat(world.queues.parked).isEmpty();
    assertThat(world.measured).doesNotContain("claim lost");
  }

  @Test
  void anEditDuringTheRunIsKept() throws InterruptedException {
    action =
        won -> {
          world.exchange(won.task(), withTags(won.task(), List.of("edited")));
          return SUCCEEDED;
        };

    fire(world.delivered(task));

    Task edited = world.stored(task);
    assertThat(edited.definition().tags()).containsExactly("edited");
    assertThat(edited.subTask(0).map(SubTask::status)).contains(SubTaskStatus.SUCCEEDED);
    assertThat(world.queues.parked).containsExactly(notice(edited));
  }

  private static Task withTags(Task task, List<String> tags) {
    TaskDefinition definition = task.definition();
    return new Task(
        task.id(),
        definition.toBuilder().tags(tags).build(),
        task.revision() + 1,
        task.status(),
        task.createdAt(),
        task.updatedAt(),
        task.version() + 1,
        task.token(),
        task.leases(),
        task.cursor(),
        task.subTasks(),
        task.extras(),
        task.tally(),
        task.busy(),
        task.inLineSince(),
        task.wakeAt());
  }

  @Test
  void aLeaseThatWasExtendedDuringTheRunDoesNotKeepTheOutcomeOut() throws InterruptedException {
    action =
        won -> {
          world.memory.extend(List.of(won.claim()), at(60));
          world.setClock(at(45));
          return SUCCEEDED;
        };

    fire(world.delivered(task));

    assertThat(world.stored(task).subTask(0).map(SubTask::status))
        .contains(SubTaskStatus.SUCCEEDED);
    assertThat(world.measured).doesNotContain("claim lost");
  }

  @Test
  void anOutcomeThatComesAfterItsClaimWasLostIsNotWritten() throws InterruptedException {
    action =
        won -> {
          world.setClock(at(1).plus(LEASE));
          world.exchange(won.task(), world.chain.wake(won.task(), world.instant()));
          return SUCCEEDED;
        };
    Delivered delivery = world.delivered(task);

    fire(delivery);

    Task takenOver = world.stored(task);
    assertThat(takenOver.live().orElseThrow().index()).isZero();
    assertThat(takenOver.live().orElseThrow().lostWorkers()).isEqualTo(1);
    assertThat(world.queues.parked).isEmpty();
    assertThat(delivery.answers).containsExactly("ack");
    assertThat(world.measured).last().isEqualTo("claim lost");
  }

  @Test
  void anOutcomeThatComesAfterAnotherWorkerHasStartedIsNotWritten() throws InterruptedException {
    action =
        won -> {
          world.setClock(at(1).plus(LEASE));
          world.exchange(won.task(), world.chain.wake(won.task(), world.instant()));
          world.claim(task, "other");
          return SUCCEEDED;
        };

    fire(world.delivered(task));

    assertThat(world.stored(task).claim().orElseThrow().worker()).isEqualTo("other");
    assertThat(world.live(task).status()).isEqualTo(SubTaskStatus.RUNNING);
    assertThat(world.measured).last().isEqualTo("claim lost");
  }

  @Test
  void whileTheStoreIsAwayAnOutcomeIsTriedAgainUntilItIsRecorded() throws InterruptedException {
    action =
        won -> {
          world.store.goAway();
          return SUCCEEDED;
        };
    pause =
        time -> {
          pauses.add(time);
          if (pauses.size() == 3) {
            world.store.comeBack();
          }
        };
    Delivered delivery = world.delivered(task);

    fire(delivery);

    assertThat(pauses).hasSize(3).allMatch(time -> time.compareTo(SECOND) < 0);
    assertThat(runs).hasSize(1);
    assertThat(world.stored(task).cursor()).isEqualTo(1);
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(delivery.answers).containsExactly("ack");
  }

  @Test
  void anOutcomeThatWasRecordedWithoutAReplyIsRecognizedAndTheNextParked()
      throws InterruptedException {
    world.store.loseReply(Operation.EXCHANGE);
    pause =
        time -> {
          pauses.add(time);
          world.setClock(world.instant().plus(time));
        };

    fire(world.delivered(task));

    Task next = world.stored(task);
    assertThat(next.cursor()).isEqualTo(1);
    assertThat(next.tally().succeeded()).isEqualTo(1);
    assertThat(world.queues.parked).containsExactly(notice(next));
    assertThat(world.measured).doesNotContain("claim lost");
  }

  @Test
  void aFailureThatWasRecordedWithoutAReplyIsRecognizedAndItsRepetitionParked()
      throws InterruptedException {
    world.store.loseReply(Operation.EXCHANGE);
    action = won -> new Outcome.Failed("no answer", true);

    fire(world.delivered(task));

    assertThat(world.live(task).failedAttempts()).isEqualTo(1);
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(world.measured).doesNotContain("claim lost");
  }

  @Test
  void whenTheLookAfterARefusedExchangeFailsItIsTriedAgain() throws InterruptedException {
    world.store.loseReply(Operation.EXCHANGE);
    world.store.fail(Operation.FIND);

    fire(world.delivered(task));

    assertThat(pauses).hasSize(2);
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
  }

  @Test
  void whileTheStoreIsAwayNothingStartsAndTheNoticeIsNotAnswered() throws InterruptedException {
    Delivered delivery = world.delivered(task);
    world.setClock(at(1));
    Arrival arrival = firing.arrived(delivery);
    world.store.fail(Operation.CLAIM);

    assertThatThrownBy(() -> firing.fire(arrival, () -> {})).isInstanceOf(AwayException.class);
    assertThat(runs).isEmpty();
    assertThat(delivery.answers).isEmpty();

    firing.fire(arrival, () -> {});
    assertThat(runs).hasSize(1);
    assertThat(delivery.answers).containsExactly("ack");
  }

  @Test
  void aClaimThatWasTakenWithoutAReplyIsFoundAgain() throws InterruptedException {
    Delivered delivery = world.delivered(task);
    world.setClock(at(1));
    Arrival arrival = firing.arrived(delivery);
    world.store.loseReply(Operation.CLAIM);
    assertThatThrownBy(() -> firing.fire(arrival, () -> {})).isInstanceOf(AwayException.class);

    firing.fire(arrival, () -> {});

    assertThat(runs).hasSize(1);
    assertThat(world.stored(task).subTask(0).map(SubTask::attempt)).contains(1);
    assertThat(world.stored(task).cursor()).isEqualTo(1);
    assertThat(delivery.answers).containsExactly("ack");
  }

  @Test
  void twoDeliveriesOfANoticeToOneWorkerDoNotShareAClaim() throws InterruptedException {
    Delivered second = world.delivered(task);
    List<String> claims = new ArrayList<>();
    action =
        won -> {
          if (claims.isEmpty()) {
            claims.add(won.claim().id());
            try {
              fire(second);
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
          return SUCCEEDED;
        };

    fire(world.delivered(task));

    assertThat(runs).hasSize(1);
    assertThat(second.answers).containsExactly("ack");
    assertThat(world.measured).contains("dropped held");
  }

  @Test
  void anAttemptThatMayTakeLongerThanABrokerWaitsIsAcknowledgedFirst() throws InterruptedException {
    taskIs(withTimeout(ACK_EARLY_FROM));

    fire(world.delivered(task));

    assertThat(world.done).containsExactly("remove", "ack", "run", "park");
  }

  @Test
  void anAttemptThatIsShorterIsAcknowledgedWhenTheNextIsParked() throws InterruptedException {
    taskIs(withTimeout(ACK_EARLY_FROM.minusMillis(1)));

    fire(world.delivered(task));

    assertThat(world.done).containsExactly("remove", "run", "park", "ack");
  }

  @Test
  void whoStopsBeforeAnOutcomeIsRecordedLeavesItToTheEndOfTheLease() {
    action =
        won -> {
          world.store.goAway();
          return SUCCEEDED;
        };
    pause =
        time -> {
          throw new InterruptedException("stopping");
        };
    Delivered delivery = world.delivered(task);

    assertThatThrownBy(() -> fire(delivery)).isInstanceOf(InterruptedException.class);

    assertThat(delivery.answers).isEmpty();
    assertThat(world.stored(task).claim()).isPresent();
    assertThat(world.stored(task).wakeAt()).contains(at(1).plus(LEASE));
  }

  @Test
  void anAttemptIsNotMadeOnceMoreBecauseWhatComesNextCannotBeDecided() throws InterruptedException {
    Delivered delivery = world.delivered(task);
    world.queues.hasNoNameFor = any -> true;

    fire(delivery);

    assertThat(runs).hasSize(1);
    assertThat(delivery.answers).containsExactly("ack");
    assertThat(world.stored(task).wakeAt()).contains(at(1).plus(LEASE));
  }

  @Test
  void latenessIsMeasuredFromTheTimeThatWasMeant() throws InterruptedException {
    Delivered delivery = world.delivered(task);
    world.setClock(at(1).plusMillis(250));

    fire(delivery);

    assertThat(world.measured).first().isEqualTo("started PT0.25S");
    assertThat(world.stored(task).subTask(0).flatMap(SubTask::run).map(SubTask.Run::lateness))
        .contains(Duration.ofMillis(250));
  }

  @Test
  void whatComesTooLateForItsMisfirePolicyIsSkippedAndTheLatestParked()
      throws InterruptedException {
    TaskDefinition plain = Tasks.every(SECOND, 500);
    taskIs(plain.toBuilder().misfire(MisfirePolicy.DEFAULT).build());
    Delivered delivery = world.delivered(task);
    world.setClock(at(100));

    firing.fire(firing.arrived(delivery), () -> {});

    assertThat(world.done).doesNotContain("run").endsWith("ack");
    assertThat(world.live(task).dueAt()).isEqualTo(at(39));
    assertThat(world.stored(task).tally().skipped()).isEqualTo(38);
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(world.measured).contains("dropped missed");
  }
}
