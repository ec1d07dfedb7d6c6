package dev.carillon.task;

import static dev.carillon.task.Tasks.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What users do to a task that is under way. */
final class ChainEditTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Outcome SUCCEEDED = new Outcome.Succeeded();
  private static final Outcome FAILED = new Outcome.Failed("no answer", true);

  private final Chain chain =
      new Chain(
          Tasks.parking(Duration.ofHours(24)), new Chain.Settings(Duration.ofSeconds(5), 10, 2, 3));

  private Task create(TaskDefinition definition) {
    return chain.create(Tasks.id(1), definition, NOW).orElseThrow();
  }

  private static Task start(Task task, Instant now) {
    Claim claim = new Claim(task.id(), task.token(), "worker", "claim-" + task.token());
    return Chain.start(task, claim, now, now.plus(LEASE));
  }

  private static SubTask live(Task task) {
    return task.live().orElseThrow();
  }

  private static Instant at(long seconds) {
    return NOW.plusSeconds(seconds);
  }

  private static TaskDefinition daily() {
    return Tasks.definition(Map.of("interval", "PT1H", "startTime", at(600).toString()));
  }

  private Task pause(Task task, Instant now) {
    return chain.edit(task, task.definition(), true, now);
  }

  private Task resume(Task task, Instant now) {
    return chain.edit(task, task.definition(), false, now);
  }

  @Test
  void pausingTakesTheLiveSubTaskOutAndResumingArmsItAnew() {
    Task task = create(Tasks.every(SECOND, 5));
    Task paused = pause(task, at(0));
    assertThat(paused.status()).isEqualTo(TaskStatus.PAUSED);
    assertThat(live(paused).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(live(paused).parked()).isEmpty();
    assertThat(paused.wakeAt()).isEmpty();
    assertThat(paused.revision()).isEqualTo(2);

    Task resumed = resume(paused, at(0));
    assertThat(resumed.status()).isEqualTo(TaskStatus.ACTIVE);
    assertThat(live(resumed).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(resumed.token()).as("an old notice must not count").isGreaterThan(task.token());
  }

  @Test
  void aRunningSubTaskEndsWhileItsTaskIsPausedAndNothingFollows() {
    Task paused = pause(start(create(Tasks.every(SECOND, 5)), at(1)), at(1));
    assertThat(paused.claim()).isPresent();

    Task ended = chain.complete(paused, SUCCEEDED, at(2));
    assertThat(ended.status()).isEqualTo(TaskStatus.PAUSED);
    assertThat(ended.tally().succeeded()).isEqualTo(1);
    assertThat(live(ended).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(ended.wakeAt()).isEmpty();
    assertThat(live(resume(ended, at(2))).status()).isEqualTo(SubTaskStatus.PENDING);
  }

  @Test
  void aFailedAttemptIsRepeatedOnlyAfterResuming() {
    Task paused = pause(start(create(Tasks.every(SECOND, 5)), at(1)), at(1));
    Task failed = chain.complete(paused, FAILED, at(2));
    assertThat(live(failed).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(failed.wakeAt()).isEmpty();

    Task resumed = resume(failed, at(500));
    assertThat(live(resumed).index()).isZero();
    assertThat(live(resumed).status()).isEqualTo(SubTaskStatus.PENDING);
  }

  @Test
  void anotherPriorityIsAnotherArming() {
    Task task = create(Tasks.every(SECOND, 5));
    TaskDefinition plain = task.definition();
    TaskDefinition urgent = plain.toBuilder().priority(Priority.HIGH).build();

    Task edited = chain.edit(task, urgent, false, at(0));

    assertThat(edited.token()).isEqualTo(task.token() + 1);
    assertThat(live(edited).dueAt()).isEqualTo(live(task).dueAt());
    assertThat(live(edited).parked()).isPresent().isNotEqualTo(live(task).parked());
    assertThat(chain.edit(edited, urgent, false, at(0)).token()).isEqualTo(edited.token());
  }

  @Test
  void resumingFollowsTheMisfirePolicy() {
    TaskDefinition plain = Tasks.every(SECOND, 500);
    TaskDefinition definition = plain.toBuilder().misfire(MisfirePolicy.DEFAULT).build();
    Task resumed = resume(pause(create(definition), at(0)), at(200));

    assertThat(live(resumed).dueAt()).isEqualTo(at(139));
    assertThat(resumed.tally()).isEqualTo(new Tally(0, 0, 138, 0));
  }

  @Test
  void resumingAfterTheEndFinishesTheTask() {
    TaskDefinition ends =
        Tasks.definition(Map.of("interval", "PT1S", "endTime", at(500).toString()));
    Task resumed = resume(pause(create(ends), at(0)), at(1_000));

    assertThat(resumed.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(resumed.tally()).isEqualTo(new Tally(0, 0, 500, 0));
    assertThat(resumed.wakeAt()).isEmpty();
    assertThat(resumed.totalSubTasks()).isEqualTo(OptionalLong.of(500));
  }

  @Test
  void aSingleInstantThatWasMissedFollowsTheMisfirePolicy() {
    TaskDefinition once = Tasks.definition(Map.of("at", at(500).toString()));
    Task runs = resume(pause(create(once), at(0)), at(1_000));
    assertThat(live(runs).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(live(runs).dueAt()).isEqualTo(at(500));

    TaskDefinition ends =
        Tasks.definition(Map.of("at", at(500).toString(), "endTime", at(600).toString()));
    assertThat(resume(pause(create(ends), at(0)), at(1_000)).status())
        .isEqualTo(TaskStatus.FINISHED);
  }

  /** An extra run keeps the task from being over, so that it can be edited once more. */
  @Test
  void anotherScheduleTakesThePlaceOfWhatWasSkippedAtTheEnd() {
    Task task = create(Tasks.definition(Map.of("interval", "PT1S", "endTime", at(500).toString())));
    task = resume(chain.trigger(pause(task, at(1)), at(2)), at(5_000));
    assertThat(task.tally().skipped()).isEqualTo(500);
    assertThat(task.nextDueAt()).isEmpty();
    long generated = task.cursor();

    task = chain.edit(task, Tasks.every(SECOND, (int) generated + 2), false, at(6_000));

    assertThat(task.tally().skipped()).isEqualTo(generated);
    assertThat(task.totalSubTasks()).hasValue(generated + 2);
    assertThat(task.subTask(generated).map(SubTask::dueAt)).contains(at(6_001));
  }

  @Test
  void anotherScheduleReplacesWhatWasPlannedAndTheIndicesGoOn() {
    Task task = create(Tasks.every(SECOND));
    task = chain.complete(start(task, at(1)), SUCCEEDED, at(1));
    Task edited = chain.edit(task, daily(), false, at(1));

    assertThat(edited.subTask(0).orElseThrow().status()).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(live(edited).index()).isEqualTo(1);
    assertThat(live(edited).dueAt()).isEqualTo(at(600));
    assertThat(edited.subTask(2).orElseThrow().dueAt()).isEqualTo(at(4_200));
    assertThat(edited.token()).isGreaterThan(task.token());
    assertThat(live(edited).parked().orElseThrow().queue())
        .isNotEqualTo(live(task).parked().orElseThrow().queue());
  }

  @Test
  void whatRunsGoesOnAndTheNextIsByTheNewSchedule() {
    Task edited = chain.edit(start(create(Tasks.every(SECOND)), at(1)), daily(), false, at(1));
    assertThat(live(edited).status()).isEqualTo(SubTaskStatus.RUNNING);

    Task next = chain.complete(edited, SUCCEEDED, at(2));
    assertThat(live(next).index()).isEqualTo(1);
    assertThat(live(next).dueAt()).isEqualTo(at(600));
  }

  @Test
  void whatWillBeRepeatedIsRepeatedBeforeTheNewScheduleCounts() {
    Task failed = chain.complete(start(create(Tasks.every(SECOND)), at(1)), FAILED, at(1));
    Task edited = chain.edit(failed, daily(), false, at(1));

    assertThat(live(edited)).isEqualTo(live(failed));
    assertThat(edited.token()).isEqualTo(failed.token());
    assertThat(edited.subTask(1).orElseThrow().dueAt()).isEqualTo(at(600));
  }

  @Test
  void anEditThatLeavesTheScheduleAloneLeavesTheArmingAlone() {
    Task task = create(Tasks.every(SECOND));
    TaskDefinition plain = task.definition();
    TaskDefinition renamed =
        TaskDefinition.builder("renamed", plain.schedule(), plain.action())
            .retry(plain.retry())
            .timeout(plain.timeout())
            .misfire(plain.misfire())
            .tags(plain.tags())
            .metadata(plain.metadata())
            .build();
    Task edited = chain.edit(task, renamed, false, at(0));

    assertThat(edited.definition().name()).isEqualTo("renamed");
    assertThat(edited.token()).isEqualTo(task.token());
    assertThat(edited.subTasks()).isEqualTo(task.subTasks());
    assertThat(edited.wakeAt()).isEqualTo(task.wakeAt());
  }

  @Test
  void fewerRunsThanThereWereAlreadyFinishTheTask() {
    Task task = create(Tasks.every(SECOND));
    for (int i = 1; i <= 3; i++) {
      task = chain.complete(start(task, at(i)), SUCCEEDED, at(i));
    }
    Task edited = chain.edit(task, Tasks.every(SECOND, 2), false, at(3));

    assertThat(edited.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(edited.tally().succeeded()).isEqualTo(3);
    assertThat(edited.totalSubTasks()).isEqualTo(OptionalLong.of(3));
    Task pausedAndOver = chain.edit(task, Tasks.every(SECOND, 2), true, at(3));
    assertThat(pausedAndOver.status()).isEqualTo(TaskStatus.FINISHED);
  }

  private Task cancelOne(Task task, long index, Instant now) {
    return chain.cancelOne(task, index, now).orElseThrow();
  }

  private static List<Instant> dueAndCanceled(Task task) {
    return task.subTasks().stream()
        .filter(subTask -> subTask.status() == SubTaskStatus.CANCELED)
        .map(SubTask::dueAt)
        .toList();
  }

  @Test
  void whatWasCanceledAloneStaysSoWhenAllIsPlannedAnew() {
    Task task = cancelOne(create(Tasks.every(SECOND, 3)), 1, at(0));

    Task edited = chain.edit(task, Tasks.every(SECOND, 10), false, at(0));

    assertThat(edited.subTask(1).map(SubTask::status)).contains(SubTaskStatus.CANCELED);
    assertThat(dueAndCanceled(edited)).containsExactly(at(2));
    assertThat(edited.tally()).isEqualTo(new Tally(0, 0, 0, 1));
    assertThat(edited.totalSubTasks()).hasValue(10);
  }

  @Test
  void theNextOneThatWasCanceledAloneIsNotPlannedASecondTime() {
    Task task = cancelOne(cancelOne(create(Tasks.every(SECOND, 3)), 0, at(0)), 1, at(0));
    assertThat(task.cursor()).isEqualTo(2);

    Task edited = chain.edit(task, Tasks.every(SECOND, 10), false, at(0));

    assertThat(dueAndCanceled(edited)).containsExactly(at(1), at(2));
    assertThat(live(edited).index()).isEqualTo(2);
    assertThat(live(edited).dueAt()).isEqualTo(at(3));
    assertThat(edited.tally()).isEqualTo(new Tally(0, 0, 0, 2));
    assertThat(edited.subTask(9).map(SubTask::dueAt)).contains(at(10));
  }

  @Test
  void aCanceledInstantStaysSoAtAnotherIndexThanBefore() {
    Task task = create(Tasks.every(SECOND.multipliedBy(60)));
    task = cancelOne(cancelOne(task, 0, at(0)), 4, at(0));

    Task edited = chain.edit(task, Tasks.every(SECOND.multipliedBy(10)), false, at(0));

    assertThat(live(edited).dueAt()).isEqualTo(at(10));
    assertThat(edited.cursor()).isZero();
    assertThat(dueAndCanceled(edited)).containsExactly(at(60), at(300));
    assertThat(edited.subTask(29).map(SubTask::status)).contains(SubTaskStatus.CANCELED);
    assertThat(edited.tally()).isEqualTo(new Tally(0, 0, 0, 2));
  }

  @Test
  void manyThatWereCanceledOneAfterTheOtherStaySo() {
    Task task = create(Tasks.every(SECOND));
    for (int i = 0; i < 60; i++) {
      task = cancelOne(task, i, at(0));
    }
    Task edited = chain.edit(task, Tasks.every(SECOND, 100), false, at(0));

    assertThat(live(edited).dueAt()).isEqualTo(at(61));
    assertThat(edited.tally()).isEqualTo(new Tally(0, 0, 0, 60));
    assertThat(edited.totalSubTasks()).hasValue(100);
  }

  @Test
  void aCanceledInstantThatTheNewScheduleDoesNotHaveIsNoMore() {
    Task task = cancelOne(create(Tasks.every(SECOND)), 0, at(0));
    Task edited = chain.edit(task, daily(), false, at(0));

    assertThat(dueAndCanceled(edited)).isEmpty();
    assertThat(edited.tally()).isEqualTo(Tally.ZERO);
    assertThat(live(edited).index()).isZero();
    assertThat(live(edited).dueAt()).isEqualTo(at(600));
  }

  @Test
  void whatRunsStaysAndTheCanceledAfterItStaysCanceled() {
    Task task = cancelOne(start(create(Tasks.every(SECOND)), at(1)), 1, at(1));
    Task edited = chain.edit(task, Tasks.every(SECOND, 12), false, at(1));

    assertThat(dueAndCanceled(edited)).containsExactly(at(2));
    Task next = chain.complete(edited, SUCCEEDED, at(1));
    assertThat(live(next).index()).isEqualTo(2);
    assertThat(live(next).dueAt()).isEqualTo(at(3));
  }

  @Test
  void whatWasCanceledStaysAsItIsWhenNothingIsPlannedInItsPlace() {
    Task task = chain.trigger(create(Tasks.every(Duration.ofHours(1), 2)), at(0));
    task = cancelOne(cancelOne(task, 0, at(0)), 1, at(0));
    TaskDefinition over =
        Tasks.definition(Map.of("interval", "PT1S", "endTime", at(60).toString()));

    Task edited = chain.edit(task, over, false, at(100));

    assertThat(dueAndCanceled(edited)).containsExactly(at(3_600), at(7_200));
    assertThat(edited.tally()).isEqualTo(new Tally(0, 0, 0, 2));
    assertThat(edited.status()).isEqualTo(TaskStatus.ACTIVE);
    assertThat(edited.nextDueAt()).isEmpty();
  }
}
