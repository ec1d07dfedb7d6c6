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
import dev.carillon.task.Claim;
import dev.carillon.task.KeyedRequest;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    assertThat(indexOf(lifecycle.trigger(task.id(), Optional.empty()))).isEqualTo(-1);

    assertThat(world.queues.removed).containsExactly(before.queue());
    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
    assertThat(notice(world.stored(task)).index()).isEqualTo(-1);
  }

  /** A worker may have been between storing the arming and parking it. */
  @Test
  void whatWaitedIsTakenAwayOnceMoreALittleLater() {
    lifecycle.trigger(task.id(), Optional.empty());
    world.queues.removed.clear();

    soon.forEach(Runnable::run);

    assertThat(world.queues.removed).containsExactly(notice(task).queue());
  }

  @Test
  void whileSomethingRunsNothingIsParkedForATriggeredRun() {
    world.setClock(at(3_600));
    world.claim(task, "worker");

    assertThat(indexOf(lifecycle.trigger(task.id(), Optional.empty()))).isEqualTo(-1);

    assertThat(world.queues.parked).isEmpty();
    assertThat(world.stored(task).subTask(-1).map(SubTask::status))
        .contains(SubTaskStatus.SCHEDULED);
  }

  @Test
  void whileTheBrokerIsAwayASweepParksTheTriggeredRun() {
    world.queues.refuses = any -> true;

    assertThat(indexOf(lifecycle.trigger(task.id(), Optional.empty()))).isEqualTo(-1);

    assertThat(world.stored(task).next().map(SubTask::status)).contains(SubTaskStatus.SCHEDULED);
    world.queues.refuses = any -> false;
    new Sweep(world.ports(), 10).sweepOnce();
    assertThat(world.queues.parked.get(1)).isEqualTo(notice(world.stored(task)));
  }

  @Test
  void whoeverIsSlowerDecidesAnew() {
    world.store.before(
        Operation.EXCHANGE, () -> world.exchange(task, world.chain.trigger(task, at(0))));

    assertThat(indexOf(lifecycle.trigger(task.id(), Optional.empty()))).isEqualTo(-2);
    assertThat(world.stored(task).extras().runs()).isEqualTo(2);
  }

  @Test
  void aStoreThatIsAwayComesOut() {
    world.store.fail(Operation.EXCHANGE);

    assertThatThrownBy(() -> lifecycle.trigger(task.id(), Optional.empty()))
        .isInstanceOf(AwayException.class);
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

  @Test
  void whatIsTriedAgainByItselfIsNotRetriedBesides() {
    world.setClock(at(3_600));
    Task running = world.claim(task, "worker");
    world.exchange(
        running, world.chain.complete(running, new Outcome.Failed("no", true), at(3_600)));
    Task before = world.stored(task);
    SubTask waiting = before.subTask(0).orElseThrow();

    assertThat(lifecycle.retry(task.id(), 0))
        .isEqualTo(
            new Answer.Refused(
                "its sub-task 0 is PENDING, not FAILED: it is tried again by itself at "
                    + waiting.runAt()));
    assertThat(world.stored(task)).isEqualTo(before);
  }

  private static Optional<KeyedRequest> keyed(String key, String fingerprint, Instant now) {
    return Optional.of(new KeyedRequest(key, fingerprint, now));
  }

  private Answer trigger(String key, long second) {
    return lifecycle.trigger(task.id(), keyed(key, "trigger", at(second)));
  }

  @Test
  void aTriggerThatIsRepeatedWithItsKeyIsOneRun() {
    assertThat(indexOf(trigger("a", 0))).isEqualTo(-1);
    assertThat(indexOf(trigger("b", 1))).isEqualTo(-2);

    assertThat(indexOf(trigger("a", 2))).isEqualTo(-1);
    assertThat(indexOf(trigger("b", 3))).isEqualTo(-2);

    assertThat(world.stored(task).extras().runs()).isEqualTo(2);
  }

  @Test
  void aKeyIsFreeAgainAfterADay() {
    trigger("a", 0);
    long day = Duration.ofDays(1).toSeconds();

    assertThat(indexOf(trigger("a", day - 1))).isEqualTo(-1);
    assertThat(indexOf(trigger("a", day))).isEqualTo(-2);
    assertThat(indexOf(trigger("a", day + 1))).isEqualTo(-2);
  }

  @Test
  void theRunOfAKeyIsFoundInTheArchiveAndAfterTheEndOfTheTask() {
    trigger("a", 0);
    trigger("b", 0);
    for (int i = 0; i < 12; i++) {
      lifecycle.trigger(task.id(), Optional.empty());
    }
    while (world.stored(task).next().isPresent()) {
      run();
    }
    assertThat(world.stored(task).status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(world.stored(task).subTask(-1)).isEmpty();

    assertThat(indexOf(trigger("a", 99))).isEqualTo(-1);
    assertThat(indexOf(trigger("b", 99))).isEqualTo(-2);
    assertThat(trigger("c", 99)).isInstanceOf(Answer.Refused.class);
  }

  /** What comes next is claimed when it is due, and succeeds. */
  private void run() {
    Task current = world.stored(task);
    Notice notice = notice(current);
    world.setClock(notice.runAt().isAfter(world.instant()) ? notice.runAt() : world.instant());
    Claim claim = new Claim(task.id(), notice.token(), "worker", "claim");
    Instant now = world.instant();
    Task begun = world.chain.begin(current, claim, now, now.plusSeconds(30));
    world.exchange(current, begun);
    world.exchange(begun, world.chain.complete(begun, claim, new Outcome.Succeeded(), now));
  }

  /** The process died right after the exchange, or its answer got lost. */
  @Test
  void aRequestWhoseAnswerGotLostIsAnsweredWhenItIsRepeated() {
    world.store.loseReply(Operation.EXCHANGE);
    assertThatThrownBy(() -> trigger("a", 0)).isInstanceOf(AwayException.class);

    assertThat(indexOf(trigger("a", 1))).isEqualTo(-1);
    assertThat(world.stored(task).extras().runs()).isEqualTo(1);
  }

  /** Two of the same at a time: the slower one finds what the faster one has made. */
  @Test
  void whoeverIsSlowerWithTheSameKeyGetsTheRunOfTheFaster() {
    world.store.before(
        Operation.EXCHANGE,
        () -> world.exchange(task, world.chain.trigger(task, keyed("a", "trigger", at(0)), at(0))));

    assertThat(indexOf(trigger("a", 0))).isEqualTo(-1);
    assertThat(world.stored(task).extras().runs()).isEqualTo(1);
  }

  @Test
  void aKeyThatWasUsedForAnotherRequestIsRefused() {
    trigger("a", 0);
    world.setClock(at(7_200));

    assertThat(lifecycle.trigger(task.id(), keyed("a", "other", at(1))))
        .isEqualTo(new Answer.OtherRequest());
    assertThat(lifecycle.backfill(task.id(), at(0), at(3_600), keyed("a", "range", at(1))))
        .isEqualTo(new Answer.OtherRequest());
    assertThat(lifecycle.backfill(task.id(), at(0), at(3_600), keyed("b", "range", at(1))))
        .isInstanceOf(Answer.Accepted.class);
    assertThat(trigger("b", 2)).isEqualTo(new Answer.OtherRequest());
  }

  /** While it waits, while its runs are on, and when all of them have ended. */
  @Test
  void aRangeThatIsRepeatedWithItsKeyIsRunOnce() {
    world.setClock(at(7_200));
    for (int i = 0; i < 4; i++) {
      Answer answer = lifecycle.backfill(task.id(), at(0), at(7_199), keyed("a", "r", at(7_200)));
      assertThat(answer).isEqualTo(new Answer.Accepted(world.stored(task), 1));
      assertThat(world.stored(task).extras().runs()).isEqualTo(1);
      if (world.stored(task).next().isPresent()) {
        run();
      }
    }
    assertThat(world.stored(task).extras().backfills()).isEmpty();
  }
}
