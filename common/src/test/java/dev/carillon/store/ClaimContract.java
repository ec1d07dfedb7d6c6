package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.queue.Notice;
import dev.carillon.store.ClaimAnswer.Gone;
import dev.carillon.store.ClaimAnswer.Held;
import dev.carillon.store.ClaimAnswer.Passed;
import dev.carillon.store.ClaimAnswer.Withdrawn;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.task.Chain;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a store does with claims. */
public abstract class ClaimContract extends StoreContract {

  @Test
  void startsTheLiveSubTask() {
    Task task = inserted();
    ClaimRequest request = request(task);
    Instant now = dueAt(task).plusMillis(17);

    ClaimAnswer answer = claim(request, now);

    Task started = Chain.start(task, request.claim(), now, now.plus(LEASE));
    assertThat(answer).isEqualTo(new Won(started, request.claim()));
    assertThat(stored(task)).isEqualTo(started);
  }

  @Test
  void startsASubTaskLaterThanDueByItsJitter() {
    Task task = inserted(Map.of("jitter", "PT40S"));
    assertThat(task.live().orElseThrow().runAt()).isAfter(task.live().orElseThrow().dueAt());

    assertStartsAsTheChainSays(task);
  }

  @Test
  void startsAnotherAttempt() {
    Task first = started(inserted());
    Task failed =
        exchanged(first, chain.complete(first, new Outcome.Failed("no water", true), dueAt(first)));
    assertThat(failed.cursor()).isZero();

    assertStartsAsTheChainSays(failed);
  }

  @Test
  void startsTheAttemptAfterALostWorker() {
    Task lost = started(inserted());
    Task takenOver = exchanged(lost, chain.wake(lost, lost.wakeAt().orElseThrow()));

    assertStartsAsTheChainSays(takenOver);
  }

  @Test
  void startsASubTaskInTheMiddleOfTheWindow() {
    Task task = inserted();
    for (int i = 0; i < 12; i++) {
      task = fired(chain, task);
    }
    assertThat(task.cursor()).isEqualTo(12);

    assertStartsAsTheChainSays(task);
  }

  @Test
  void startsASubTaskOfAShiftedWindow() {
    Task task = inserted(create(smallChain, Map.of()));
    for (int i = 0; i < 12; i++) {
      task = fired(smallChain, task);
    }
    assertThat(task.subTasks().get(0).index()).isPositive();

    assertStartsAsTheChainSays(task);
  }

  /** Its notice may have reached the queue although parking it seemed to fail. */
  @Test
  void startsWhatIsMarkedAsNotParked() {
    Task task = inserted();
    Notice notice = notice(task);
    Task unparked = exchanged(task, chain.unpark(task, START));

    ClaimRequest request = request(notice);
    Instant now = notice.runAt();

    assertThat(claim(request, now))
        .isEqualTo(
            new Won(Chain.start(unparked, request.claim(), now, now.plus(LEASE)), request.claim()));
  }

  private void assertStartsAsTheChainSays(Task task) {
    ClaimRequest request = request(task);
    Instant now = dueAt(task).plusMillis(3);

    ClaimAnswer answer = claim(request, now);

    Task started = Chain.start(task, request.claim(), now, now.plus(LEASE));
    assertThat(answer).isEqualTo(new Won(started, request.claim()));
    assertThat(stored(task)).isEqualTo(started);
  }

  @Test
  void isHeldByTheFirst() {
    Task task = inserted();
    Task started = started(task);

    assertThat(claim(request(task), dueAt(task))).isEqualTo(new Held());
    assertThat(stored(task)).isEqualTo(started);
  }

  @Test
  void isWonAgainByTheSameRequestWithoutEffect() {
    Task task = inserted();
    ClaimRequest request = request(task);
    ClaimAnswer first = claim(request, dueAt(task));

    assertThat(claim(request, dueAt(task).plusSeconds(2))).isEqualTo(first);
    assertThat(stored(task)).isEqualTo(((Won) first).task());
  }

  @Test
  void isPassedWhenALaterArmingExists() {
    Task task = inserted();
    Task next = fired(chain, task);

    assertThat(claim(request(task), dueAt(task))).isEqualTo(new Passed(next));
    assertThat(stored(task)).isEqualTo(next);
  }

  @Test
  void isPassedAlsoWhileTheLaterArmingIsHeld() {
    Task task = inserted();
    Task running = started(fired(chain, task));

    assertThat(claim(request(task), dueAt(running))).isEqualTo(new Passed(running));
  }

  @Test
  void isGoneForAnUnknownTask() {
    assertThat(claim(request(create(Map.of())), START.plusSeconds(60))).isEqualTo(new Gone());
  }

  @Test
  void isGoneForACanceledTask() {
    Task task = inserted();
    Task canceled = exchanged(task, chain.cancel(task, START));

    assertThat(claim(request(task), dueAt(task))).isEqualTo(new Gone());
    assertThat(stored(task)).isEqualTo(canceled);
  }

  @Test
  void isGoneForAPausedTask() {
    Task task = inserted();
    Task paused = exchanged(task, withStatus(task, TaskStatus.PAUSED));

    assertThat(claim(request(task), dueAt(task))).isEqualTo(new Gone());
    assertThat(stored(task)).isEqualTo(paused);
  }

  @Test
  void isGoneForAFinishedTask() {
    Task task = inserted(Map.of("maxRuns", 1));
    Task finished = fired(chain, task);
    assertThat(finished.status()).isEqualTo(TaskStatus.FINISHED);

    assertThat(claim(request(task), dueAt(task))).isEqualTo(new Gone());
  }

  /** The reply to the claim may have been lost before the task was canceled. */
  @Test
  void isWithdrawnWhenItsTaskWasCanceledBeforeTheAnswer() {
    Task task = inserted();
    ClaimRequest request = request(task);
    Task started = ((Won) claim(request, dueAt(task))).task();
    Task canceled = exchanged(started, chain.cancel(started, dueAt(task)));

    Instant later = dueAt(task).plusSeconds(1);
    assertThat(claim(request, later)).isEqualTo(new Withdrawn(new Won(canceled, request.claim())));
    assertThat(claim(request(request.notice()), later)).isEqualTo(new Gone());
  }

  @Test
  void isWithdrawnWhenItsTaskWasPausedBeforeTheAnswer() {
    Task task = inserted();
    ClaimRequest request = request(task);
    Task started = ((Won) claim(request, dueAt(task))).task();
    Task paused = exchanged(started, chain.edit(started, started.definition(), true, dueAt(task)));

    Instant later = dueAt(task).plusSeconds(1);
    assertThat(claim(request, later)).isEqualTo(new Withdrawn(new Won(paused, request.claim())));
    assertThat(claim(request(request.notice()), later)).isEqualTo(new Held());
  }

  @Test
  void isRefusedBeforeItsTime() {
    Task task = inserted();

    assertThatThrownBy(() -> claim(request(task), dueAt(task).minusMillis(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(stored(task)).isEqualTo(task);
  }

  @Test
  void answersABatchOneByOneAndInOrder() {
    Task free = inserted();
    Task held = inserted();
    started(held);
    Task passed = inserted();
    Task next = fired(chain, passed);
    Task unknown = create(Map.of());
    Task canceled = inserted();
    exchanged(canceled, chain.cancel(canceled, START));
    Task alsoFree = inserted();
    Instant now = dueAt(free).plusMillis(5);
    ClaimRequest first = request(free);
    ClaimRequest last = request(alsoFree);

    List<ClaimAnswer> answers =
        store.claim(
            List.of(
                first,
                request(held),
                request(passed),
                request(unknown),
                request(canceled),
                request(free),
                last),
            now,
            LEASE);

    // of the two requests for one sub-task either may win
    Won won = (Won) (answers.get(0) instanceof Won ? answers.get(0) : answers.get(5));
    assertThat(won.task()).isEqualTo(Chain.start(free, won.claim(), now, now.plus(LEASE)));
    assertThat(List.of(answers.get(0), answers.get(5))).contains(new Held());
    assertThat(answers.subList(1, 5))
        .containsExactly(new Held(), new Passed(next), new Gone(), new Gone());
    assertThat(answers.get(6))
        .isEqualTo(
            new Won(Chain.start(alsoFree, last.claim(), now, now.plus(LEASE)), last.claim()));
  }

  @Test
  void answersAnEmptyBatchWithNothing() {
    assertThat(store.claim(List.of(), START, LEASE)).isEmpty();
  }

  @Test
  void isWonByOneOfManyThreads() throws Exception {
    try (Race race = new Race(16)) {
      Task task = inserted();
      for (int round = 0; round < 30; round++) {
        Notice notice = notice(task);
        Instant now = notice.runAt();

        List<ClaimAnswer> answers =
            race.run(
                thread ->
                    claim(new ClaimRequest(notice, "worker-" + thread, "claim-" + thread), now));

        List<Won> won =
            answers.stream().filter(Won.class::isInstance).map(Won.class::cast).toList();
        assertThat(won).as("won in round " + round).hasSize(1);
        assertThat(answers).filteredOn(new Held()::equals).hasSize(15);
        Task started = Chain.start(task, won.get(0).claim(), now, now.plus(LEASE));
        assertThat(stored(task)).isEqualTo(started).isEqualTo(won.get(0).task());
        task = exchanged(started, chain.complete(started, new Outcome.Succeeded(), now));
      }
    }
  }

  @Test
  void ofManyBatchesAtATimeEachSubTaskIsWonOnce() throws Exception {
    try (Race race = new Race(16)) {
      for (int round = 0; round < 5; round++) {
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
          tasks.add(inserted());
        }
        Instant now = START.plusSeconds(60);

        List<List<ClaimAnswer>> answers =
            race.run(
                thread -> {
                  List<Task> mine = new ArrayList<>(tasks);
                  Collections.shuffle(mine, new Random(thread));
                  List<ClaimRequest> requests =
                      mine.stream()
                          .map(t -> new ClaimRequest(notice(t), "worker-" + thread, "c" + thread))
                          .toList();
                  return store.claim(requests, now, LEASE);
                });

        Map<TaskId, Won> won = new HashMap<>();
        int held = 0;
        for (ClaimAnswer answer : answers.stream().flatMap(List::stream).toList()) {
          if (answer instanceof Won w) {
            assertThat(won.put(w.task().id(), w)).as("an earlier winner").isNull();
          } else {
            assertThat(answer).isEqualTo(new Held());
            held++;
          }
        }
        assertThat(won).hasSize(12);
        assertThat(held).isEqualTo(15 * 12);
        for (Task task : tasks) {
          assertThat(stored(task)).isEqualTo(won.get(task.id()).task());
        }
      }
    }
  }
}
