package dev.carillon.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Runs besides those of the schedule, and sub-tasks that are taken out of their turn. */
final class ExtrasTest {

  private static final Duration HORIZON = Duration.ofHours(2);
  private static final Outcome SUCCEEDED = new Outcome.Succeeded();
  private static final Outcome HOPELESS = new Outcome.Failed("no", false);

  private final Chain chain =
      new Chain(Tasks.parking(HORIZON), new Chain.Settings(Duration.ofSeconds(5), 6, 1, 3));

  private static Instant at(long seconds) {
    return Tasks.NOW.plusSeconds(seconds);
  }

  private Task create(long interval, int times) {
    return chain
        .create(Tasks.id(1), Tasks.every(Duration.ofSeconds(interval), times), at(0))
        .orElseThrow();
  }

  /** The next run, begun and ended at once. */
  private Task fire(Task task, Outcome outcome, Instant now) {
    Claim claim = new Claim(task.id(), task.token(), "worker", "claim-" + task.token());
    Task begun = chain.begin(task, claim, now, now.plusSeconds(30));
    return chain.complete(begun, claim, outcome, now);
  }

  private static SubTask subTask(Task task, long index) {
    return task.subTask(index).orElseThrow();
  }

  @Test
  void aTriggeredRunTakesTheArmingAndTheScheduleGetsItBack() {
    Task task = create(3_600, 3);

    Task triggered = chain.trigger(task, at(10));

    assertThat(subTask(triggered, 0).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(subTask(triggered, -1).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(subTask(triggered, -1).dueAt()).isEqualTo(at(10));
    assertThat(triggered.token()).isEqualTo(task.token() + 1);
    assertThat(triggered.wakeAt()).contains(at(15));
    Task ended = fire(triggered, SUCCEEDED, at(11));
    assertThat(subTask(ended, 0).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(subTask(ended, 0).parked().orElseThrow().queue())
        .isNotEqualTo(subTask(task, 0).parked().orElseThrow().queue());
    assertThat(ended.tally().succeeded()).isEqualTo(1);
    assertThat(ended.totalSubTasks()).hasValue(3);
  }

  @Test
  void aTriggeredRunWaitsForTheOneThatIsOn() {
    Task task = create(10, 3);
    Claim claim = new Claim(task.id(), task.token(), "worker", "claim");
    Task running = Chain.start(task, claim, at(10), at(40));

    Task triggered = chain.trigger(chain.trigger(running, at(11)), at(12));

    assertThat(triggered.next()).isEmpty();
    assertThat(triggered.token()).isEqualTo(running.token());
    Task ended = chain.complete(triggered, claim, SUCCEEDED, at(25));
    assertThat(ended.next().map(SubTask::index)).contains(-1L);
    ended = fire(fire(ended, SUCCEEDED, at(25)), SUCCEEDED, at(25));
    assertThat(ended.next().map(SubTask::index)).contains(1L);
  }

  @Test
  void aTaskThatIsOverButForAnExtraFinishesWithIt() {
    Task task = chain.trigger(fire(create(10, 2), SUCCEEDED, at(10)), at(20));
    task = fire(task, SUCCEEDED, at(20)); // the schedule's, which was due first or at once
    assertThat(task.status()).isEqualTo(TaskStatus.ACTIVE);
    assertThat(fire(task, SUCCEEDED, at(21)).status()).isEqualTo(TaskStatus.FINISHED);
  }

  @Test
  void aTriggeredRunIsNeverMissed() {
    Task task = chain.trigger(create(3_600, 3), at(0));

    Task late = fire(chain.wake(task, at(3_000)), SUCCEEDED, at(3_000));

    assertThat(subTask(late, -1).status()).isEqualTo(SubTaskStatus.SUCCEEDED);
  }

  @Test
  void aTriggeredRunIsTriedAgainByThePolicyOfItsTask() {
    Task task = chain.trigger(create(3_600, 3), at(0));
    Task failed = fire(task, new Outcome.Failed("no", true), at(0));

    assertThat(failed.next().map(SubTask::index)).contains(-1L);
    assertThat(failed.next().map(SubTask::attempt)).contains(1);
    assertThat(failed.next().orElseThrow().runAt()).isAfterOrEqualTo(at(10));
  }

  @Test
  void aPausedTaskRunsWhatIsTriggeredAndNothingElse() {
    Task task = create(10, 9);
    task = chain.backfill(task, Backfill.of(at(-60), at(-1)), at(0));
    task = chain.edit(task, task.definition(), true, at(0));
    assertThat(task.next()).isEmpty();
    assertThat(task.wakeAt()).isEmpty();

    Task triggered = chain.trigger(task, at(100));

    assertThat(triggered.next().map(SubTask::index)).contains(-1L);
    Task ended = fire(triggered, SUCCEEDED, at(100));
    assertThat(ended.next()).isEmpty();
    assertThat(ended.wakeAt()).isEmpty();
    assertThat(ended.status()).isEqualTo(TaskStatus.PAUSED);
  }

  @Test
  void cancellingTheTaskCancelsItsExtras() {
    Task task = chain.trigger(chain.trigger(create(10, 3), at(0)), at(0));

    Task canceled = chain.cancel(task, at(1));

    assertThat(canceled.tally()).isEqualTo(new Tally(0, 0, 0, 5));
    assertThat(canceled.wakeAt()).isEmpty();
    assertThat(subTask(canceled, -2).status()).isEqualTo(SubTaskStatus.CANCELED);
    assertThatThrownBy(() -> chain.trigger(canceled, at(2)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void extrasThatHaveEndedLeaveAFewAtATime() {
    Task task = create(3_600, 3);
    for (int i = 1; i <= 20; i++) {
      task = fire(chain.trigger(task, at(i)), SUCCEEDED, at(i));
      assertThat(task.extras().subTasks()).hasSizeLessThan(5);
    }
    assertThat(task.extras().runs()).isEqualTo(20);
    assertThat(task.subTask(-20)).isPresent();
  }

  private Task createSince(long start) {
    return chain
        .create(
            Tasks.id(1),
            Tasks.definition(Map.of("interval", "PT10S", "startTime", at(start).toString())),
            at(0))
        .orElseThrow();
  }

  @Test
  void aRangeIsRunInstantByInstantASecondApart() {
    Task task = chain.backfill(createSince(-100), Backfill.of(at(-90), at(-70)), at(0));

    for (int i = 0; i < 3; i++) {
      SubTask next = task.next().orElseThrow();
      assertThat(next.index()).isEqualTo(-1 - i);
      assertThat(next.origin()).isEqualTo(Origin.BACKFILL);
      assertThat(next.dueAt()).isEqualTo(at(-90 + 10 * i));
      assertThat(next.runAt()).isEqualTo(at(i + 1));
      task = fire(task, SUCCEEDED, at(i + 1));
    }
    assertThat(task.extras().backfills()).isEmpty();
    assertThat(task.next().map(SubTask::index)).contains(0L);
  }

  @Test
  void rangesAreRunOneAfterTheOther() {
    Task task = chain.backfill(createSince(-100), Backfill.of(at(-90), at(-90)), at(0));
    task = chain.backfill(task, Backfill.of(at(-50), at(-50)), at(0));

    assertThat(task.extras().runs()).isEqualTo(1);
    task = fire(task, SUCCEEDED, at(1));
    assertThat(task.next().map(SubTask::dueAt)).contains(at(-50));
    assertThat(fire(task, SUCCEEDED, at(2)).extras().backfills()).isEmpty();
  }

  @Test
  void pausingHoldsARangeUpAndResumingGoesOn() {
    Task task = chain.backfill(createSince(-100), Backfill.of(at(-90), at(-70)), at(0));
    Task paused = chain.edit(task, task.definition(), true, at(1));
    assertThat(paused.next()).isEmpty();

    Task resumed = chain.edit(paused, task.definition(), false, at(2));

    assertThat(resumed.next().map(SubTask::index)).contains(-1L);
    assertThat(fire(resumed, SUCCEEDED, at(2)).next().map(SubTask::index)).contains(-2L);
  }

  @Test
  void aPausedTaskIsNotOverWhileARangeIsLeft() {
    Map<String, Object> schedule =
        Map.of("interval", "PT10S", "startTime", at(-20).toString(), "endTime", at(10).toString());
    Task task = chain.create(Tasks.id(1), Tasks.definition(schedule), at(0)).orElseThrow();
    task = chain.backfill(task, Backfill.of(at(-20), at(-10)), at(0));
    Claim claim = new Claim(task.id(), task.token(), "worker", "claim");
    task = chain.begin(task, claim, at(1), at(31));
    task = chain.edit(task, task.definition(), true, at(2));
    task = chain.complete(task, claim, SUCCEEDED, at(3));

    task = chain.cancelOne(task, 0, at(4)).orElseThrow();

    assertThat(task.status()).isEqualTo(TaskStatus.PAUSED);
    Task resumed = chain.edit(task, task.definition(), false, at(5));
    assertThat(resumed.next().map(SubTask::index)).contains(-2L);
    assertThat(fire(resumed, SUCCEEDED, at(6)).status()).isEqualTo(TaskStatus.FINISHED);
  }

  /** It was accepted as it is, with so many instants and no more. */
  @Test
  void aRangeKeepsTheScheduleThatItWasWantedFor() {
    Task task = chain.backfill(createSince(-100), Backfill.of(at(-90), at(-70)), at(0));
    TaskDefinition every = Tasks.every(Duration.ofSeconds(1));
    task = chain.edit(task, every, false, at(0));
    task = chain.edit(task, Tasks.every(Duration.ofHours(1)), false, at(0));

    for (int i = 1; i <= 3; i++) {
      assertThat(task.next().map(SubTask::dueAt)).contains(at(-100 + 10L * i));
      task = fire(task, SUCCEEDED, at(i));
    }

    assertThat(task.extras().runs()).isEqualTo(3);
    assertThat(task.extras().backfills()).isEmpty();
    assertThat(task.next().map(SubTask::index)).contains(0L);
  }

  @Test
  void cancellingARunOfARangeLetsTheRangeGoOn() {
    Task task = chain.backfill(createSince(-100), Backfill.of(at(-90), at(-70)), at(0));

    Task canceled = chain.cancelOne(task, -1, at(1)).orElseThrow();

    assertThat(canceled.next().map(SubTask::dueAt)).contains(at(-80));
  }

  @Test
  void aFailedSubTaskRunsAgainWithItsIndexAndAFullSetOfAttempts() {
    Task task = create(10, 3);
    for (int i = 0; i < 3; i++) {
      Instant due = task.next().orElseThrow().runAt();
      task = fire(task, new Outcome.Failed("no", true), due);
    }
    SubTask failed = subTask(task, 0);
    assertThat(failed.status()).isEqualTo(SubTaskStatus.FAILED);

    Task revived = chain.retry(task, failed, at(100));

    assertThat(revived.tally()).isEqualTo(Tally.ZERO);
    assertThat(subTask(revived, 0).attempt()).isEqualTo(3);
    assertThat(subTask(revived, 0).failedAttempts()).isZero();
    Instant now = at(100);
    while (!revived.next().map(SubTask::index).equals(Optional.of(0L))) {
      revived = fire(revived, SUCCEEDED, now);
    }
    Task again = fire(revived, new Outcome.Failed("no", true), now);
    assertThat(subTask(again, 0).attempt()).isEqualTo(4);
    assertThat(subTask(again, 0).status().isFinished()).isFalse();
  }

  @Test
  void aFinishedTaskIsActiveUntilItsRetryHasEnded() {
    Task finished = fire(create(10, 1), HOPELESS, at(10));
    assertThat(finished.status()).isEqualTo(TaskStatus.FINISHED);

    Task revived = chain.retry(finished, subTask(finished, 0), at(20));

    assertThat(revived.status()).isEqualTo(TaskStatus.ACTIVE);
    assertThat(revived.nextDueAt()).isEmpty();
    Task ended = fire(revived, SUCCEEDED, at(20));
    assertThat(ended.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(ended.tally()).isEqualTo(new Tally(1, 0, 0, 0));
    assertThat(ended.subTasks()).hasSize(1);
  }

  /** Its remaining sub-tasks have been counted as skipped without being generated. */
  @Test
  void nothingIsGeneratedForATaskThatIsRevivedAfterItsEnd() {
    TaskDefinition ends =
        Tasks.definition(Map.of("interval", "PT10S", "endTime", at(500).toString()));
    Task task = chain.create(Tasks.id(1), ends, at(0)).orElseThrow();
    task = fire(task, HOPELESS, at(10));
    task = chain.edit(task, task.definition(), true, at(11));
    task = chain.edit(task, task.definition(), false, at(9_000));
    assertThat(task.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(task.tally().total()).isEqualTo(50);

    Task ended = fire(chain.retry(task, subTask(task, 0), at(9_001)), SUCCEEDED, at(9_001));

    assertThat(ended.tally()).isEqualTo(new Tally(1, 0, 49, 0));
    assertThat(ended.subTasks()).hasSameSizeAs(task.subTasks());
  }

  @Test
  void whatHasNotFailedIsNotRunAgain() {
    Task task = fire(create(10, 3), SUCCEEDED, at(10));
    Task canceled = chain.cancel(fire(create(10, 3), HOPELESS, at(10)), at(11));

    for (Task refusing : List.of(task, canceled)) {
      assertThatThrownBy(() -> chain.retry(refusing, subTask(refusing, 0), at(12)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void oneThatIsCanceledBeforehandIsPassedOver() {
    Task task = create(10, 4);
    task = chain.cancelOne(task, 1, at(0)).orElseThrow();
    task = chain.cancelOne(task, 2, at(0)).orElseThrow();
    assertThat(task.next().map(SubTask::index)).contains(0L);
    assertThat(task.tally()).isEqualTo(new Tally(0, 0, 0, 2));

    task = fire(task, SUCCEEDED, at(10));

    assertThat(task.next().map(SubTask::index)).contains(3L);
    task = fire(task, SUCCEEDED, at(40));
    assertThat(task.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(task.tally()).isEqualTo(new Tally(2, 0, 0, 2));
  }

  @Test
  void cancellingWhatIsArmedArmsTheNext() {
    Task task = create(10, 4);

    Task canceled = chain.cancelOne(task, 0, at(1)).orElseThrow();

    assertThat(canceled.cursor()).isEqualTo(1);
    assertThat(canceled.next().map(SubTask::status)).contains(SubTaskStatus.PENDING);
    assertThat(canceled.token()).isEqualTo(task.token() + 1);
  }

  @Test
  void cancellingTheLastFinishesTheTask() {
    Task canceled = chain.cancelOne(create(10, 1), 0, at(1)).orElseThrow();

    assertThat(canceled.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(canceled.wakeAt()).isEmpty();
  }

  @Test
  void oneThatIsNotGeneratedYetIsGeneratedToBeCanceled() {
    Task task = chain.cancelOne(create(10, 100), 50, at(0)).orElseThrow();

    assertThat(subTask(task, 50).status()).isEqualTo(SubTaskStatus.CANCELED);
    assertThat(task.subTasks()).hasSize(51);
    assertThat(chain.cancelOne(create(10, 100), 100, at(0))).isEmpty();
    assertThat(chain.cancelOne(create(10, 100), -1, at(0))).isEmpty();
  }

  @Test
  void aCanceledOneAmongMissedOnesIsNeitherMissedNorDoesItHideThem() {
    TaskDefinition plain = Tasks.every(Duration.ofSeconds(10), 100);
    TaskDefinition latest = plain.toBuilder().misfire(MisfirePolicy.DEFAULT).build();
    Task task = chain.create(Tasks.id(1), latest, at(0)).orElseThrow();
    task = chain.cancelOne(task, 3, at(0)).orElseThrow();

    Task woken = chain.wake(task, at(500));

    assertThat(woken.tally()).isEqualTo(new Tally(0, 0, 41, 1));
    assertThat(woken.next().map(SubTask::dueAt)).contains(at(430));
  }

  @Test
  void aNewPlanTakesThePlaceOfOneWithCanceledSubTasks() {
    Task task = chain.cancelOne(create(10, 4), 2, at(0)).orElseThrow();

    Task edited = chain.edit(task, Tasks.every(Duration.ofSeconds(20), 4), false, at(0));

    assertThat(edited.tally()).isEqualTo(Tally.ZERO);
    assertThat(edited.subTasks()).allMatch(subTask -> subTask.status().isWaiting());
  }
}
