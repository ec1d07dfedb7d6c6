package dev.carillon.task;

import static dev.carillon.task.Tasks.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class ChainTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Outcome SUCCEEDED = new Outcome.Succeeded();
  private static final Outcome FAILED = new Outcome.Failed("no answer", true);

  private final Chain chain =
      new Chain(Tasks.parking(Duration.ofHours(24)), new Chain.Settings(GRACE, 10, 2, 3));

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

  @Test
  void aNewTaskHasItsFirstSubTaskParked() {
    Task task = create(Tasks.every(SECOND, 5));

    assertThat(task.status()).isEqualTo(TaskStatus.ACTIVE);
    assertThat(task.subTasks())
        .extracting(SubTask::dueAt)
        .containsExactly(at(1), at(2), at(3), at(4), at(5));
    assertThat(live(task).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(live(task).parked().orElseThrow().queue()).isEqualTo("pending.0.1.1");
    assertThat(task.subTask(1).orElseThrow().status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(task.wakeAt()).contains(at(1).plus(GRACE));
    assertThat(task.totalSubTasks()).isEqualTo(OptionalLong.of(5));
  }

  @Test
  void aScheduleWithNothingLeftGivesNoTask() {
    TaskDefinition past =
        Tasks.definition(Map.of("interval", "PT1S", "endTime", at(10).toString()));

    assertThat(chain.create(Tasks.id(1), past, at(10))).isEmpty();
  }

  @Test
  void whatIsBeyondTheHorizonWaitsInTheStore() {
    Task task = create(Tasks.every(Duration.ofHours(30)));

    assertThat(live(task).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(live(task).parked()).isEmpty();
    assertThat(task.wakeAt()).contains(NOW.plus(Duration.ofHours(6)));

    Task woken = chain.wake(task, NOW.plus(Duration.ofHours(6)));
    assertThat(live(woken).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(woken.token()).isGreaterThan(task.token());
    assertThat(woken.wakeAt()).contains(NOW.plus(Duration.ofHours(30)).plus(GRACE));
  }

  @Test
  void startingRecordsWhoWhenAndHowLate() {
    Task running = start(create(Tasks.every(SECOND)), at(1).plusMillis(7));

    assertThat(live(running).status()).isEqualTo(SubTaskStatus.RUNNING);
    assertThat(live(running).attempt()).isEqualTo(1);
    assertThat(live(running).parked()).isEmpty();
    assertThat(live(running).run().orElseThrow())
        .isEqualTo(
            new SubTask.Run("worker", at(1).plusMillis(7), Optional.empty(), Duration.ofMillis(7)));
    assertThat(running.wakeAt()).contains(at(1).plusMillis(7).plus(LEASE));
  }

  @Test
  void nothingStartsBeforeItsTime() {
    Task task = create(Tasks.every(SECOND));

    assertThatThrownBy(() -> start(task, at(1).minusMillis(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void successArmsTheNext() {
    Task task = create(Tasks.every(SECOND));
    Task next = chain.complete(start(task, at(1)), SUCCEEDED, at(1).plusMillis(300));

    assertThat(next.subTask(0).orElseThrow().status()).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(next.subTask(0).orElseThrow().run().orElseThrow().finishedAt())
        .contains(at(1).plusMillis(300));
    assertThat(next.cursor()).isEqualTo(1);
    assertThat(live(next).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(live(next).dueAt()).isEqualTo(at(2));
    assertThat(next.claim()).isEmpty();
    assertThat(next.token()).isEqualTo(task.token() + 1);
    assertThat(next.tally()).isEqualTo(new Tally(1, 0, 0, 0));
  }

  @Test
  void theLastSuccessFinishesTheTask() {
    Task task = create(Tasks.every(SECOND, 1));
    Task finished = chain.complete(start(task, at(1)), SUCCEEDED, at(1));

    assertThat(finished.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(finished.wakeAt()).isEmpty();
    assertThat(finished.live()).isEmpty();
    assertThat(finished.totalSubTasks()).isEqualTo(OptionalLong.of(1));
  }

  @Test
  void failedAttemptsAreRepeatedWithGrowingDelaysAndThenTheChainGoesOn() {
    Task task = create(Tasks.every(Duration.ofMinutes(1)));

    Task second = chain.complete(start(task, at(60)), FAILED, at(61));
    assertThat(live(second).index()).isZero();
    assertThat(live(second).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(live(second).dueAt()).isEqualTo(at(60));
    assertThat(live(second).runAt()).isBetween(at(71), at(72));
    assertThat(live(second).error()).contains("no answer");
    assertThat(live(second).parked().orElseThrow().queue()).isEqualTo("pending.0.2.2");

    Task third = chain.complete(start(second, at(72)), FAILED, at(72));
    assertThat(live(third).runAt()).isBetween(at(92), at(94));

    Task next = chain.complete(start(third, at(94)), FAILED, at(94));
    assertThat(next.subTask(0).orElseThrow().status()).isEqualTo(SubTaskStatus.FAILED);
    assertThat(next.subTask(0).orElseThrow().attempt()).isEqualTo(3);
    assertThat(live(next).index()).isEqualTo(1);
    assertThat(next.tally()).isEqualTo(new Tally(0, 1, 0, 0));
  }

  @Test
  void aFailureThatCannotBeHelpedIsNotRepeated() {
    Task task = create(Tasks.every(SECOND));
    Outcome hopeless = new Outcome.Failed("answered 404", false);

    Task next = chain.complete(start(task, at(1)), hopeless, at(1));
    assertThat(next.subTask(0).orElseThrow().status()).isEqualTo(SubTaskStatus.FAILED);
    assertThat(live(next).index()).isEqualTo(1);
  }

  @Test
  void successAfterAFailureForgetsTheError() {
    Task again = chain.complete(start(create(Tasks.every(SECOND)), at(1)), FAILED, at(1));
    Task next = chain.complete(start(again, at(12)), SUCCEEDED, at(12));

    assertThat(next.subTask(0).orElseThrow().error()).isEmpty();
    assertThat(next.subTask(0).orElseThrow().failedAttempts()).isEqualTo(1);
  }

  @Test
  void whatIsHandedBackIsDoneAgainAtOnceAndCountsAsNoFailure() {
    Task back =
        chain.complete(start(create(Tasks.every(SECOND)), at(1)), new Outcome.HandedBack(), at(3));

    assertThat(live(back).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(live(back).runAt()).isEqualTo(at(3));
    assertThat(live(back).failedAttempts()).isZero();
    assertThat(back.wakeAt()).contains(at(3).plus(GRACE));
  }

  @Test
  void aSilentWorkerIsReplacedAndTheSubTaskGivenUpAtTheLimit() {
    Task task = create(Tasks.every(SECOND));
    for (int lost = 1; lost < 3; lost++) {
      Instant now = at(100L * lost);
      task = chain.wake(start(task, now), now.plus(LEASE));
      assertThat(live(task).status()).isEqualTo(SubTaskStatus.PENDING);
      assertThat(live(task).lostWorkers()).isEqualTo(lost);
      assertThat(live(task).runAt()).isEqualTo(now.plus(LEASE));
      assertThat(live(task).error().orElseThrow()).contains("worker");
    }
    Task givenUp = chain.wake(start(task, at(1_000)), at(1_000).plus(LEASE));
    assertThat(givenUp.subTask(0).orElseThrow().status()).isEqualTo(SubTaskStatus.FAILED);
    assertThat(live(givenUp).index()).isEqualTo(1);
  }

  @Test
  void aNoticeWithoutASignOfLifeKeepsItsTokenAndIsLookedForLessAndLessOften() {
    Task task = create(Tasks.every(SECOND, 1));

    Task once = chain.wake(task, at(6));
    assertThat(once.token()).isEqualTo(task.token());
    assertThat(live(once)).isEqualTo(live(task));
    assertThat(once.wakeAt()).contains(at(6).plus(GRACE));
    Task later = chain.wake(once, at(31));
    assertThat(later.wakeAt()).contains(at(61));
    Task muchLater = chain.wake(later, at(10_000));
    assertThat(muchLater.wakeAt()).contains(at(10_060));
  }

  @Test
  void cancelCallsOffWhatHasNotStarted() {
    Task canceled = chain.cancel(create(Tasks.every(SECOND, 50)), at(0));

    assertThat(canceled.status()).isEqualTo(TaskStatus.CANCELED);
    assertThat(canceled.subTasks()).allMatch(s -> s.status() == SubTaskStatus.CANCELED);
    assertThat(canceled.tally()).isEqualTo(new Tally(0, 0, 0, 50));
    assertThat(canceled.wakeAt()).isEmpty();
    assertThatThrownBy(() -> chain.cancel(canceled, at(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void cancelLeavesARunningSubTaskToItsEnd() {
    Task running = start(create(Tasks.every(SECOND, 3)), at(1));
    Task canceled = chain.cancel(running, at(1));
    assertThat(live(canceled).status()).isEqualTo(SubTaskStatus.RUNNING);
    assertThat(canceled.wakeAt()).isEqualTo(running.wakeAt());

    Task ended = chain.complete(canceled, SUCCEEDED, at(2));
    assertThat(ended.status()).isEqualTo(TaskStatus.CANCELED);
    assertThat(ended.tally()).isEqualTo(new Tally(1, 0, 0, 2));
    assertThat(ended.wakeAt()).isEmpty();

    Task notRepeated = chain.complete(canceled, FAILED, at(2));
    assertThat(notRepeated.tally()).isEqualTo(new Tally(0, 0, 0, 3));
    assertThat(notRepeated.claim()).isEmpty();

    Task lost = chain.wake(canceled, at(100));
    assertThat(lost.tally()).isEqualTo(new Tally(0, 1, 0, 2));
    assertThat(lost.wakeAt()).isEmpty();
  }

  @Test
  void aSubTaskThatCouldNotBeParkedWaitsForTheNextSweep() {
    Task task = create(Tasks.every(SECOND));
    Task unparked = chain.unpark(task, at(0));

    assertThat(live(unparked).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(unparked.wakeAt()).contains(at(0));
    assertThat(unparked.token()).isEqualTo(task.token());
    assertThat(live(chain.wake(unparked, at(0))).status()).isEqualTo(SubTaskStatus.PENDING);
  }

  @Test
  void dueTimesDoNotDriftHoweverLateTheRuns() {
    Task task = create(Tasks.every(SECOND, 200));
    Instant now = NOW;
    for (int i = 0; i < 200; i++) {
      assertThat(live(task).dueAt()).isEqualTo(at(i + 1));
      now = now.plusMillis(1_700);
      task = chain.complete(start(task, now), SUCCEEDED, now);
    }
    assertThat(task.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(task.tally().succeeded()).isEqualTo(200);
  }

  @Test
  void theWindowOfALongTaskKeepsItsSizeAndThatOfAShortOneAllItsSubTasks() {
    Task unbounded = create(Tasks.every(SECOND));
    Task shortOne = create(Tasks.every(SECOND, 10));
    for (int i = 1; i <= 10; i++) {
      unbounded = chain.complete(start(unbounded, at(i)), SUCCEEDED, at(i));
      shortOne = chain.complete(start(shortOne, at(i)), SUCCEEDED, at(i));
      assertThat(unbounded.subTasks()).hasSizeBetween(7, 15);
      assertThat(unbounded.subTask(i + 4L)).isPresent();
    }
    assertThat(shortOne.subTasks()).hasSize(10);
    assertThat(unbounded.subTask(9)).isPresent();
    assertThat(unbounded.totalSubTasks()).isEmpty();
  }

  @Test
  void jitterDelaysTheStartAndNotTheDueTime() {
    Task task =
        create(Tasks.definition(Map.of("interval", "PT10S", "jitter", "PT5S", "maxRuns", 30)));

    List<Duration> delays =
        task.subTasks().stream().map(s -> Duration.between(s.dueAt(), s.runAt())).toList();
    assertThat(task.subTasks().get(0).dueAt()).isEqualTo(at(10));
    assertThat(delays).allMatch(d -> !d.isNegative() && d.compareTo(Duration.ofSeconds(5)) <= 0);
    assertThat(delays).doesNotHaveDuplicates();
  }

  @Test
  void theYear9999IsAccepted() {
    Task task =
        create(Tasks.definition(Map.of("interval", 1, "startTime", "9999-12-31T23:00:00Z")));

    assertThat(live(task).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(task.wakeAt()).contains(Instant.parse("9999-12-30T23:00:00Z"));
  }

  private static Task missing(Map<String, Object> schedule, MisfirePolicy.Rule rule, Chain chain) {
    TaskDefinition plain = Tasks.definition(schedule);
    TaskDefinition definition =
        plain.toBuilder().misfire(new MisfirePolicy(rule, Duration.ofSeconds(60))).build();
    return chain.create(Tasks.id(1), definition, NOW).orElseThrow();
  }

  private Task missing(MisfirePolicy.Rule rule) {
    return missing(Map.of("interval", "PT10S", "maxRuns", 30), rule, chain);
  }

  @Test
  void ofMissedSubTasksTheLatestIsRun() {
    Task task = missing(MisfirePolicy.Rule.RUN_LATEST);

    // at 205 s those due up to 140 s are missed: later than their grace of 60 s
    Task woken = chain.wake(task, at(205));
    assertThat(live(woken).dueAt()).isEqualTo(at(140));
    assertThat(live(woken).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(woken.tally()).isEqualTo(new Tally(0, 0, 13, 0));
    assertThat(woken.subTask(0).orElseThrow().status()).isEqualTo(SubTaskStatus.SKIPPED);
    assertThat(woken.subTask(0).orElseThrow().error().orElseThrow())
        .contains("misfire")
        .contains("latest");
    assertThat(woken.token()).isGreaterThan(task.token());
  }

  @Test
  void ofMissedSubTasksNoneIsRun() {
    Task woken = chain.wake(missing(MisfirePolicy.Rule.SKIP), at(205));

    assertThat(live(woken).dueAt()).isEqualTo(at(150));
    assertThat(woken.tally()).isEqualTo(new Tally(0, 0, 14, 0));
    Task finished = chain.wake(woken, at(100_000));
    assertThat(finished.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(finished.tally()).isEqualTo(new Tally(0, 0, 30, 0));
  }

  @Test
  void ofMissedSubTasksAllAreRun() {
    Task task = missing(MisfirePolicy.Rule.RUN_ALL);
    Task woken = chain.wake(task, at(100_000));

    assertThat(live(woken)).isEqualTo(live(task));
    assertThat(woken.tally()).isEqualTo(Tally.ZERO);
  }

  @Test
  void catchingUpHasACap() {
    Task task = missing(Map.of("interval", "PT1S"), MisfirePolicy.Rule.RUN_ALL, chain);
    long missed = 3_000;
    Instant now = at(missed + 60).plusMillis(1);
    do {
      task = chain.wake(task, now);
    } while (task.wakeAt().orElseThrow().equals(now));

    assertThat(task.tally()).isEqualTo(new Tally(0, 0, missed - 1_000, 0));
    assertThat(live(task).index()).isEqualTo(missed - 1_000);
    assertThat(live(task).status()).isEqualTo(SubTaskStatus.PENDING);
  }

  @Test
  void aLongAbsenceIsMadeUpForInStepsOfWhichEachLeadsToTheNext() {
    Task task = missing(Map.of("interval", "PT1S"), MisfirePolicy.Rule.RUN_LATEST, chain);
    Instant now = at(1_000);
    int steps = 0;
    int largest = 0;
    do {
      Task woken = chain.wake(task, now);
      assertThat(woken.subTasks().get(0).index())
          .as("nothing leaves the window in the step in which it ends")
          .isLessThanOrEqualTo(task.cursor());
      task = woken;
      largest = Math.max(largest, task.subTasks().size());
      steps++;
    } while (task.wakeAt().orElseThrow().equals(now));

    assertThat(steps).isBetween(4, 6);
    assertThat(largest).isLessThan(230);
    assertThat(live(task).dueAt()).isEqualTo(at(939));
    assertThat(task.tally().skipped()).isEqualTo(938);
  }

  @Test
  void whatWasBegunIsNotMissed() {
    Task again = chain.complete(start(missing(MisfirePolicy.Rule.SKIP), at(10)), FAILED, at(10));

    Task woken = chain.wake(again, at(100_000));
    assertThat(live(woken).index()).isZero();
    assertThat(live(woken).status()).isEqualTo(SubTaskStatus.PENDING);
  }

  @Test
  void aClaimThatCameTooLateIsGivenBackUnbegun() {
    Task onTime = start(missing(MisfirePolicy.Rule.RUN_LATEST), at(70));
    assertThat(Chain.isToBeSkipped(onTime)).isFalse();

    Task late = start(missing(MisfirePolicy.Rule.RUN_LATEST), at(205));
    assertThat(Chain.isToBeSkipped(late)).isTrue();
    Task next = chain.complete(late, new Outcome.Missed(), at(205));
    assertThat(live(next).dueAt()).isEqualTo(at(140));
    assertThat(live(next).status()).isEqualTo(SubTaskStatus.PENDING);
    assertThat(next.subTask(0).orElseThrow().attempt()).isZero();
    assertThat(next.subTask(0).orElseThrow().run()).isEmpty();

    Task latest = start(next, at(206));
    assertThat(Chain.isToBeSkipped(latest)).isFalse();
  }

  @Test
  void aClaimThatIsWithdrawnByACancelLeavesNoTraceOfARun() {
    Task started = start(create(Tasks.every(SECOND)), at(1));
    Task canceled = chain.cancel(started, at(1));

    Task after = chain.complete(canceled, new Outcome.Withdrawn(), at(1));

    SubTask first = after.subTask(0).orElseThrow();
    assertThat(first.status()).isEqualTo(SubTaskStatus.CANCELED);
    assertThat(first.attempt()).isZero();
    assertThat(first.run()).isEmpty();
    assertThat(after.claim()).isEmpty();
    assertThat(after.wakeAt()).isEmpty();
    assertThat(after.tally().canceled()).isPositive();
  }

  @Test
  void aClaimThatIsWithdrawnByAPauseWaitsToBeResumed() {
    Task started = start(create(Tasks.every(SECOND)), at(1));
    Task paused = chain.edit(started, started.definition(), true, at(1));

    Task after = chain.complete(paused, new Outcome.Withdrawn(), at(1));

    assertThat(live(after).index()).isZero();
    assertThat(live(after).status()).isEqualTo(SubTaskStatus.SCHEDULED);
    assertThat(live(after).attempt()).isZero();
    assertThat(after.claim()).isEmpty();
    assertThat(after.wakeAt()).isEmpty();
    Task resumed = chain.edit(after, after.definition(), false, at(2));
    assertThat(live(resumed).status()).isEqualTo(SubTaskStatus.PENDING);
  }

  @Test
  void theOtherSidesWishToBeLeftAloneIsHeededWithinReason() {
    Task task = create(Tasks.every(SECOND));
    Outcome busy = new Outcome.Failed("429", true, Optional.of(Duration.ofMinutes(2)));
    assertThat(live(chain.complete(start(task, at(1)), busy, at(1))).runAt()).isEqualTo(at(121));

    Outcome forever = new Outcome.Failed("429", true, Optional.of(Duration.ofDays(9_999)));
    assertThat(live(chain.complete(start(task, at(1)), forever, at(1))).runAt())
        .isEqualTo(at(1).plus(Duration.ofDays(1)));
  }
}
