package dev.carillon.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.store.TaskStore.Exchange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of a sub-task that falls due while another run of its task is on. */
final class OverlapTest {

  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Outcome SUCCEEDED = new Outcome.Succeeded();
  private static final Outcome FAILED = new Outcome.Failed("no", true);

  private final Chain chain =
      new Chain(
          Tasks.parking(Duration.ofDays(1)), new Chain.Settings(Duration.ofSeconds(5), 6, 1, 3));

  private static Instant at(long seconds) {
    return Tasks.NOW.plusSeconds(seconds);
  }

  private static TaskDefinition everySecond(Overlap overlap, int times) {
    TaskDefinition plain = Tasks.every(Duration.ofSeconds(1), times);
    return with(plain, overlap);
  }

  private static TaskDefinition with(TaskDefinition plain, Overlap overlap) {
    return plain.toBuilder().overlap(overlap).priority(Priority.NORMAL).build();
  }

  private Task create(Overlap overlap, int times) {
    return chain.create(Tasks.id(1), everySecond(overlap, times), at(0)).orElseThrow();
  }

  private Task begin(Task task, Instant now) {
    Claim claim = new Claim(task.id(), task.token(), "worker", "claim-" + task.token());
    return chain.begin(task, claim, now, now.plus(LEASE));
  }

  private static SubTaskStatus statusOf(Task task, long index) {
    return task.subTask(index).orElseThrow().status();
  }

  private Task complete(Task task, long index, Outcome outcome, Instant now) {
    Claim claim =
        task.leases().stream()
            .filter(lease -> lease.index() == index)
            .findFirst()
            .orElseThrow()
            .claim();
    return chain.complete(task, claim, outcome, now);
  }

  @Test
  void theNextIsArmedWhenOneStartsIfTheyMayOverlap() {
    Task one = begin(create(Overlap.ALLOW, 9), at(1));

    assertThat(statusOf(one, 0)).isEqualTo(SubTaskStatus.RUNNING);
    assertThat(one.next().map(SubTask::index)).contains(1L);
    assertThat(statusOf(one, 1)).isEqualTo(SubTaskStatus.PENDING);
    assertThat(one.wakeAt()).contains(at(2).plusSeconds(5));

    Task two = begin(one, at(2));
    assertThat(two.leases()).extracting(Lease::index).containsExactly(0L, 1L);
    assertThat(two.leases()).extracting(lease -> lease.claim().token()).isSorted();

    Task laterEnded = complete(two, 1, SUCCEEDED, at(2));
    Task bothEnded = complete(laterEnded, 0, SUCCEEDED, at(3));
    assertThat(bothEnded.token()).as("the next stays armed").isEqualTo(two.token());
    assertThat(bothEnded.tally()).isEqualTo(new Tally(2, 0, 0, 0));
  }

  @Test
  void theWakeUpTimeIsThatOfTheEarliestLeaseOrOfWhatIsParked() {
    Task task = begin(create(Overlap.ALLOW, 2), at(1));
    task = begin(task, at(10));

    assertThat(task.next()).isEmpty();
    assertThat(task.wakeAt()).contains(at(31));
    assertThat(complete(task, 0, SUCCEEDED, at(11)).wakeAt()).contains(at(40));
  }

  @Test
  void eachLeaseThatHasEndedIsTakenOverAndTheOthersStay() {
    Task task = begin(begin(create(Overlap.ALLOW, 2), at(1)), at(10));

    Task woken = chain.wake(task, at(31));

    assertThat(woken.leases()).extracting(Lease::index).containsExactly(1L);
    assertThat(woken.subTask(0).map(SubTask::lostWorkers)).contains(1);
    assertThat(woken.next().map(SubTask::index)).contains(0L);
    assertThat(woken.token()).isGreaterThan(task.token());
    Task again = begin(woken, at(31));
    assertThat(again.leases()).hasSize(2);
    Task ended = complete(complete(again, 0, SUCCEEDED, at(32)), 1, SUCCEEDED, at(32));
    assertThat(ended.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(ended.wakeAt()).isEmpty();
  }

  @Test
  void oneThatWaitsForAnotherAttemptDoesNotHoldTheChainUp() {
    Task task = begin(create(Overlap.ALLOW, 3), at(1));
    task = complete(task, 0, FAILED, at(1)); // again at 11 or a little later

    assertThat(task.next().map(SubTask::index)).contains(1L);
    task = complete(begin(task, at(2)), 1, SUCCEEDED, at(2));
    task = complete(begin(task, at(3)), 2, SUCCEEDED, at(3));
    assertThat(task.status()).isEqualTo(TaskStatus.ACTIVE);
    assertThat(task.next().map(SubTask::index)).contains(0L);
    task = complete(begin(task, at(13)), 0, SUCCEEDED, at(13));
    assertThat(task.status()).isEqualTo(TaskStatus.FINISHED);
  }

  @Test
  void onlySoManyAreUnderWayAtATime() {
    Task task = create(Overlap.ALLOW, 200);
    int second = 0;
    while (task.next().isPresent()) {
      task = begin(task, at(++second));
    }

    assertThat(task.leases()).hasSize(Candidates.MOST_AT_ONCE);
    assertThat(task.subTasks().size() + task.extras().subTasks().size()).isLessThan(130);
    Task ended = complete(task, 3, SUCCEEDED, at(second));
    assertThat(ended.next().map(SubTask::index)).contains(100L);
  }

  @Test
  void whatStillRunsWhenTheWindowHasPassedItStaysBesideIt() {
    Task task = begin(create(Overlap.ALLOW, 40), at(1));
    List<Long> left = new ArrayList<>();
    for (int i = 1; i < 40; i++) {
      Task next = complete(begin(task, at(1 + i)), i, SUCCEEDED, at(1 + i));
      left.addAll(
          new Exchange(begin(task, at(1 + i)), next)
              .leftBehind().stream().map(SubTask::index).toList());
      task = next;
    }

    assertThat(task.subTasks().get(0).index()).isPositive();
    assertThat(task.subTask(0).map(SubTask::status)).contains(SubTaskStatus.RUNNING);
    assertThat(left).isNotEmpty().doesNotContain(0L);
    task = complete(task, 0, SUCCEEDED, at(50));
    assertThat(task.status()).isEqualTo(TaskStatus.FINISHED);
    assertThat(statusOf(task, 0)).isEqualTo(SubTaskStatus.SUCCEEDED);
  }

  @Test
  void whatFallsDueMeanwhileIsSkippedIfItIsToBe() {
    Task task = begin(create(Overlap.SKIP, 9), at(1));
    assertThat(task.next()).isEmpty();

    Task ended = complete(task, 0, SUCCEEDED, at(1).plusMillis(3_500));

    assertThat(ended.tally()).isEqualTo(new Tally(1, 0, 3, 0));
    assertThat(ended.subTask(1).flatMap(SubTask::error).orElseThrow()).startsWith("overlap: ");
    assertThat(ended.next().map(SubTask::index)).contains(4L);
    assertThat(ended.busy()).isEmpty();
  }

  @Test
  void thatGoesOnFromStepToStepHoweverManyThereAre() {
    Task ended = complete(begin(create(Overlap.SKIP, 900), at(1)), 0, SUCCEEDED, at(700));
    assertThat(ended.tally().skipped()).isEqualTo(200);
    int steps = 1;
    while (ended.wakeAt().orElseThrow().equals(at(700))) {
      ended = chain.wake(ended, at(700));
      steps++;
    }

    assertThat(ended.tally().skipped()).isEqualTo(698);
    assertThat(steps).isEqualTo(4);
    assertThat(ended.next().map(SubTask::dueAt)).contains(at(700));
  }

  /** The next waits for the last attempt, so what falls due until then is skipped as well. */
  @Test
  void theTimeBetweenAttemptsCountsAsWell() {
    Task task = complete(begin(create(Overlap.SKIP, 99), at(1)), 0, FAILED, at(1));
    Task ended = complete(begin(task, at(15)), 0, SUCCEEDED, at(16));

    assertThat(ended.tally()).isEqualTo(new Tally(1, 0, 14, 0));
  }

  @Test
  void alsoIfTheSubTaskIsCanceledBetweenItsAttempts() {
    Task task = complete(begin(create(Overlap.SKIP, 99), at(1)), 0, FAILED, at(1));
    Task canceled = chain.cancelOne(task, 0, at(10)).orElseThrow();

    assertThat(canceled.tally()).isEqualTo(new Tally(0, 0, 8, 1));
  }

  @Test
  void whatWasMissedBeforeIsNotSkippedForOverlap() {
    Task task = begin(create(Overlap.SKIP, 99), at(5)); // 1 to 3 have been missed by then
    Task ended = complete(task, 0, SUCCEEDED, at(8));

    assertThat(ended.next().map(SubTask::index)).contains(1L);
    assertThat(ended.tally().skipped()).isZero();
    ended = complete(begin(ended, at(8)), 1, SUCCEEDED, at(8));
    ended = complete(begin(ended, at(8)), 2, SUCCEEDED, at(8));
    ended = complete(begin(ended, at(8)), 3, SUCCEEDED, at(8));
    assertThat(ended.next().map(SubTask::dueAt)).contains(at(8));
    assertThat(ended.tally()).isEqualTo(new Tally(4, 0, 3, 0));
  }

  @Test
  void aRunThatNobodyWaitsForMakesOthersSkippedToo() {
    Task triggered = chain.trigger(create(Overlap.SKIP, 9), at(0));
    Task ended = complete(begin(triggered, at(0)), -1, SUCCEEDED, at(2).plusMillis(1));

    assertThat(ended.tally()).isEqualTo(new Tally(1, 0, 2, 0));
  }

  @Test
  void fromNowOnTheyMayOverlap() {
    Task waits = create(Overlap.WAIT, 9);
    Claim claim = new Claim(waits.id(), waits.token(), "worker", "claim");
    Task running = Chain.start(waits, claim, at(1), at(31));

    Task edited = chain.edit(running, everySecond(Overlap.ALLOW, 9), false, at(1));

    assertThat(edited.next().map(SubTask::index)).contains(1L);
    Task both = begin(edited, at(2));
    assertThat(both.leases()).hasSize(2);
    Task late = chain.complete(both, claim, new Outcome.Missed(), at(2));
    assertThat(statusOf(late, 0)).isEqualTo(SubTaskStatus.SKIPPED);
  }

  @Test
  void fromNowOnTheyMayNotOverlap() {
    Task both = begin(begin(create(Overlap.ALLOW, 9), at(1)), at(2));
    assertThat(statusOf(both, 2)).isEqualTo(SubTaskStatus.PENDING);

    Task edited = chain.edit(both, everySecond(Overlap.WAIT, 9), false, at(2));

    assertThat(edited.next()).isEmpty();
    assertThat(statusOf(edited, 2)).isEqualTo(SubTaskStatus.SCHEDULED);
    Task one = complete(edited, 0, SUCCEEDED, at(3));
    assertThat(one.next()).isEmpty();
    Task none = complete(one, 1, SUCCEEDED, at(3));
    assertThat(none.next().map(SubTask::index)).contains(2L);
    assertThat(none.token()).isGreaterThan(both.token());
  }

  @Test
  void cancellingTheTaskLeavesAllThatRunsToItsEnd() {
    Task canceled = chain.cancel(begin(begin(create(Overlap.ALLOW, 9), at(1)), at(2)), at(2));

    assertThat(canceled.next()).isEmpty();
    assertThat(canceled.wakeAt()).contains(at(31));
    Task one = complete(canceled, 0, SUCCEEDED, at(3));
    Task none = complete(one, 1, FAILED, at(3));
    assertThat(none.wakeAt()).isEmpty();
    assertThat(none.tally()).isEqualTo(new Tally(1, 0, 0, 8));
  }

  @Test
  void whatIsTooLateIsSkippedInsteadOfBeingBegun() {
    TaskDefinition latest =
        with(Tasks.definition(Map.of("interval", "PT1S", "maxRuns", 900)), Overlap.ALLOW);
    TaskDefinition skips =
        latest.toBuilder()
            .misfire(new MisfirePolicy(MisfirePolicy.Rule.SKIP, Duration.ofSeconds(10)))
            .overlap(Overlap.ALLOW)
            .priority(Priority.NORMAL)
            .build();
    Task task = chain.create(Tasks.id(1), skips, at(0)).orElseThrow();

    Task late = begin(task, at(100));

    assertThat(late.leases()).isEmpty();
    assertThat(late.tally().skipped()).isEqualTo(89);
    assertThat(late.next().map(SubTask::dueAt)).contains(at(90));
  }
}
