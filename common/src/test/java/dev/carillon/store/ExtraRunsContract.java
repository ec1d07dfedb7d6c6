package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.Notice;
import dev.carillon.store.ClaimAnswer.Gone;
import dev.carillon.store.ClaimAnswer.Held;
import dev.carillon.store.ClaimAnswer.Open;
import dev.carillon.store.ClaimAnswer.Passed;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.task.Backfill;
import dev.carillon.task.Claim;
import dev.carillon.task.KeyedRequest;
import dev.carillon.task.Lease;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a store does with tasks of which more than one sub-task may be on, or come next. */
public abstract class ExtraRunsContract extends StoreContract {

  private static final Outcome SUCCEEDED = new Outcome.Succeeded();

  private Task overlapping() {
    return inserted(create(smallChain, Map.of("overlap", "allow", "interval", "PT1S")));
  }

  /** What comes next, begun as workers do it. */
  private Task begun(Task task) {
    ClaimRequest request = request(task);
    Instant now = request.notice().runAt();
    assertThat(claim(request, now)).isEqualTo(new Open(task));
    return exchanged(task, smallChain.begin(task, request.claim(), now, now.plus(LEASE)));
  }

  private static Claim claimOn(Task task, long index) {
    return task.leases().stream()
        .filter(lease -> lease.index() == index)
        .findFirst()
        .orElseThrow()
        .claim();
  }

  private Task ended(Task task, long index, Instant now) {
    return exchanged(task, smallChain.complete(task, claimOn(task, index), SUCCEEDED, now));
  }

  @Test
  void whoeverWantsMoreThanAClaimIsGivenTheTaskAndNothingChanges() {
    Task overlapping = overlapping();
    Task waiting = inserted();
    Task triggered = exchanged(waiting, chain.trigger(waiting, START));

    assertThat(claim(request(overlapping), dueAt(overlapping))).isEqualTo(new Open(overlapping));
    assertThat(claim(request(triggered), START)).isEqualTo(new Open(triggered));
    assertThat(stored(overlapping)).isEqualTo(overlapping);
    assertThat(stored(triggered)).isEqualTo(triggered);
  }

  @Test
  void severalClaimsAreHeldAtATime() {
    Task two = begun(begun(overlapping()));

    assertThat(stored(two)).isEqualTo(two);
    assertThat(two.leases()).hasSize(2);
    Task one = ended(two, 0, START.plusSeconds(3));
    assertThat(stored(two)).isEqualTo(one);
    Task none = ended(one, 1, START.plusSeconds(3));
    assertThat(stored(two)).isEqualTo(none);
  }

  @Test
  void eachIsExtendedForItself() {
    Task two = begun(begun(overlapping()));
    Instant until = START.plusSeconds(900);

    assertThat(store.extend(List.of(claimOn(two, 1)), until)).containsExactly(true);

    List<Lease> expected = List.of(two.leases().get(0), two.leases().get(1).extended(until));
    assertThat(stored(two).leases()).isEqualTo(expected);
    assertThat(stored(two).wakeAt()).isEqualTo(two.wakeAt());
  }

  /** The one that ended must not take the other's longer lease with it. */
  @Test
  void theEndOfOneLeavesTheLeaseOfTheOtherAsItIs() {
    Task two = begun(begun(overlapping()));
    Instant until = START.plusSeconds(900);
    store.extend(List.of(claimOn(two, 1)), until);

    Task one = ended(two, 0, START.plusSeconds(3));

    assertThat(stored(two).leases()).containsExactly(one.leases().get(0).extended(until));
  }

  @Test
  void oneIsTakenOverAndTheOtherIsNot() {
    Task two = begun(begun(overlapping()));
    Instant end = two.leases().get(0).until();
    assertThat(two.leases().get(1).until()).isAfter(end);

    Task woken = exchanged(two, smallChain.wake(two, end));

    assertThat(stored(two)).isEqualTo(woken);
    assertThat(store.extend(List.of(claimOn(two, 0), claimOn(two, 1)), end.plus(LEASE)))
        .containsExactly(false, true);
  }

  @Test
  void oneThatWasExtendedIsNotTakenOver() {
    Task two = begun(begun(overlapping()));
    Instant end = two.leases().get(1).until();
    store.extend(List.of(claimOn(two, 0)), end.plus(LEASE));

    assertThat(exchange(two, smallChain.wake(two, end))).isFalse();
    Task current = stored(two);
    Task woken = exchanged(current, smallChain.wake(current, end));
    assertThat(woken.leases()).extracting(Lease::index).containsExactly(0L);
  }

  @Test
  void aClaimWhoseReplyGotLostIsWonAgain() {
    Task task = overlapping();
    ClaimRequest request = request(task);
    Instant now = dueAt(task);
    Task begun = exchanged(task, smallChain.begin(task, request.claim(), now, now.plus(LEASE)));

    assertThat(claim(request, now)).isEqualTo(new Won(begun, request.claim()));
    assertThat(claim(request(request.notice()), now)).isEqualTo(new Held());
  }

  @Test
  void aNoticeOfATakenAwayArmingIsPassed() {
    Task waiting = inserted();
    Notice earlier = notice(waiting);
    Task triggered = exchanged(waiting, chain.trigger(waiting, START));

    assertThat(claim(request(earlier), earlier.runAt())).isEqualTo(new Passed(triggered));
  }

  @Test
  void nothingStartsBesideAnExtraRunThatIsOn() {
    Task waiting = inserted();
    Task triggered = exchanged(waiting, chain.trigger(waiting, START));
    ClaimRequest request = request(triggered);
    Task running =
        exchanged(triggered, chain.begin(triggered, request.claim(), START, START.plus(LEASE)));

    assertThat(Notice.of(running)).isEmpty();
    assertThat(claim(request(request.notice()), START)).isEqualTo(new Held());
  }

  @Test
  void aPausedTaskRunsWhatIsTriggeredOnly() {
    Task waiting = inserted();
    Notice earlier = notice(waiting);
    Task paused = exchanged(waiting, chain.edit(waiting, waiting.definition(), true, START));
    assertThat(claim(request(earlier), earlier.runAt())).isEqualTo(new Gone());

    Task triggered = exchanged(paused, chain.trigger(paused, START));
    ClaimRequest request = request(triggered);

    assertThat(claim(request(earlier), earlier.runAt())).isEqualTo(new Gone());
    assertThat(claim(request, START)).isEqualTo(new Open(triggered));
    Task running =
        exchanged(triggered, chain.begin(triggered, request.claim(), START, START.plus(LEASE)));
    assertThat(claim(request, START)).isEqualTo(new Won(running, request.claim()));
  }

  @Test
  void extrasGoToTheArchiveAndAreListedBeforeTheOthers() {
    Task task = inserted(create(smallChain, Map.of()));
    for (int i = 0; i < 10; i++) {
      Instant now = START.plusMillis(i);
      task = exchanged(task, smallChain.trigger(task, now));
      ClaimRequest request = request(task);
      task = exchanged(task, smallChain.begin(task, request.claim(), now, now.plus(LEASE)));
      task = exchanged(task, smallChain.complete(task, request.claim(), SUCCEEDED, now));
      assertThat(stored(task)).isEqualTo(task);
    }

    List<SubTask> all =
        store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), Long.MIN_VALUE, 100));
    List<Long> indices = new ArrayList<>();
    all.forEach(subTask -> indices.add(subTask.index()));
    assertThat(indices)
        .startsWith(-10L, -9L, -8L, -7L, -6L, -5L, -4L, -3L, -2L, -1L, 0L, 1L)
        .isSorted();
    assertThat(task.extras().subTasks()).hasSizeLessThan(5);
    for (long from = -12; from < 3; from++) {
      List<SubTask> page = store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), from, 3));
      int first = (int) Math.max(0, from + 10);
      assertThat(page).isEqualTo(all.subList(first, first + 3));
    }
    SubTaskQuery waiting =
        new SubTaskQuery(Optional.of(SubTaskStatus.SCHEDULED), Long.MIN_VALUE, 100);
    assertThat(store.subTasks(task.id(), waiting)).allMatch(subTask -> subTask.index() > 0);
  }

  @Test
  void whatARequestHasMadeIsFoundByItsKeyInTheArchive() {
    Task task = inserted(create(smallChain, Map.of()));
    Task other = inserted(create(smallChain, Map.of()));
    for (int i = 0; i < 10; i++) {
      Instant now = START.plusMillis(i);
      KeyedRequest request = new KeyedRequest("key " + i, "print " + i, now);
      task = exchanged(task, smallChain.trigger(task, Optional.of(request), now));
      ClaimRequest claim = request(task);
      task = exchanged(task, smallChain.begin(task, claim.claim(), now, now.plus(LEASE)));
      task = exchanged(task, smallChain.complete(task, claim.claim(), SUCCEEDED, now));
    }
    Instant third = START.plusMillis(3);

    assertThat(store.findRequested(task.id(), "key 3", third.minusMillis(1)))
        .map(SubTask::index)
        .contains(-4L);
    assertThat(store.findRequested(task.id(), "key 3", third.minusMillis(1)))
        .flatMap(SubTask::request)
        .contains(new KeyedRequest("key 3", "print 3", third));
    assertThat(store.findRequested(task.id(), "key 3", third)).isEmpty();
    assertThat(store.findRequested(task.id(), "key", START.minusMillis(1))).isEmpty();
    assertThat(store.findRequested(other.id(), "key 3", START.minusMillis(1))).isEmpty();
  }

  /** It has no end of its own, and its due time may be long past. */
  @Test
  void aRunOfARangeThatNeverRanIsKeptAsLongAsOthers() {
    Instant due = Instant.parse("2020-01-01T00:00:00Z");
    Task task = inserted(create(smallChain, Map.of("startTime", due.toString())));
    task = exchanged(task, smallChain.backfill(task, Backfill.of(due, due), START));
    task = exchanged(task, smallChain.cancelOne(task, -1, START).orElseThrow());
    for (int i = 0; i < 4; i++) { // others push it out
      task = exchanged(task, smallChain.trigger(task, START));
      ClaimRequest claim = request(task);
      task = exchanged(task, smallChain.begin(task, claim.claim(), START, START.plus(LEASE)));
      task = exchanged(task, smallChain.complete(task, claim.claim(), SUCCEEDED, START));
    }
    assertThat(task.subTask(-1)).isEmpty();

    assertThat(store.purgeArchive(START, 100)).isZero();
    assertThat(store.purgeArchive(START.plusSeconds(2), 100)).isPositive();
    assertThat(store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), -1, 1)))
        .map(SubTask::index)
        .containsExactly(0L);
  }

  /** It is in the archive as failed, in the task as waiting, and then in the archive once more. */
  @Test
  void theLaterEndOfASubTaskTakesThePlaceOfTheEarlier() {
    Task task = inserted(create(smallChain, Map.of("maxRuns", 30)));
    Task first = started(task);
    task =
        exchanged(first, smallChain.complete(first, new Outcome.Failed("no", false), dueAt(task)));
    while (task.subTask(0).isPresent()) {
      task = fired(smallChain, task);
    }
    SubTask failed = subTasks(task).get(0);
    assertThat(failed.status()).isEqualTo(SubTaskStatus.FAILED);
    Instant now = dueAt(task).minusSeconds(1);

    task = exchanged(task, smallChain.retry(task, failed, now));
    assertThat(subTasks(task).get(0).status()).isEqualTo(SubTaskStatus.PENDING);
    ClaimRequest request = request(task);
    task = exchanged(task, smallChain.begin(task, request.claim(), now, now.plus(LEASE)));
    task = exchanged(task, smallChain.complete(task, request.claim(), SUCCEEDED, now));
    for (int i = 0; i < 4; i++) { // others push it out
      task = exchanged(task, smallChain.trigger(task, now));
      request = request(task);
      task = exchanged(task, smallChain.begin(task, request.claim(), now, now.plus(LEASE)));
      task = exchanged(task, smallChain.complete(task, request.claim(), SUCCEEDED, now));
    }

    assertThat(task.subTask(0)).isEmpty();
    assertThat(subTasks(task).get(0).status()).isEqualTo(SubTaskStatus.SUCCEEDED);
    assertThat(subTasks(task).get(0).attempt()).isEqualTo(2);
  }

  /** Of all that begin, end and extend at a time, nothing gets lost. */
  @Test
  void manyAtATimeKeepEachOthersClaims() throws Exception {
    Task task = overlapping();
    for (int i = 0; i < 8; i++) {
      task = begun(task);
    }
    Task start = task;
    Instant now = START.plusSeconds(10);
    Instant until = START.plusSeconds(900);
    try (Race race = new Race(8)) {
      List<Boolean> done =
          race.run(
              runner -> {
                Claim claim = claimOn(start, runner);
                if (runner % 2 == 0) {
                  return store.extend(List.of(claim), until).get(0);
                }
                while (true) {
                  Task current = stored(start);
                  if (exchange(current, smallChain.complete(current, claim, SUCCEEDED, now))) {
                    return true;
                  }
                }
              });
      assertThat(done).doesNotContain(false);
    }

    Task left = stored(start);
    assertThat(left.leases()).extracting(Lease::index).containsExactly(0L, 2L, 4L, 6L);
    assertThat(left.leases()).allMatch(lease -> lease.until().equals(until));
    assertThat(left.tally().succeeded()).isEqualTo(4);
  }
}
