package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a store does with exchanges. */
public abstract class ExchangeContract extends StoreContract {

  @Test
  void replacesTheTask() {
    Task task = inserted();
    Task started = started(task);
    Task next = chain.complete(started, new Outcome.Succeeded(), dueAt(task).plusMillis(250));

    assertThat(exchange(started, next)).isTrue();
    assertThat(stored(task)).isEqualTo(next);
  }

  @Test
  void replacesTheDefinition() {
    Task task = inserted(Map.of("tags", List.of("a", "b"), "metadata", Map.of("k", "v")));
    TaskDefinition definition =
        definition(Map.of("name", "other", "interval", "PT5S", "tags", List.of("c")));
    Task edited = edited(task, definition, TaskStatus.ACTIVE, task.subTasks());

    assertThat(exchange(task, edited)).isTrue();
    assertThat(stored(task)).isEqualTo(edited);
  }

  @Test
  void hasNoEffectWhenSomebodyWasFaster() {
    Task task = inserted();
    Task canceled = exchanged(task, chain.cancel(task, START));

    assertThat(exchange(task, chain.unpark(task, START))).isFalse();
    assertThat(stored(task)).isEqualTo(canceled);
  }

  @Test
  void hasNoEffectWhenTheTaskWasClaimedMeanwhile() {
    Task task = inserted();
    Task started = started(task);

    assertThat(exchange(task, chain.wake(task, task.wakeAt().orElseThrow()))).isFalse();
    assertThat(stored(task)).isEqualTo(started);
  }

  @Test
  void isAnsweredWithNoWhenRepeated() {
    Task task = inserted();
    Task canceled = exchanged(task, chain.cancel(task, START));

    assertThat(exchange(task, canceled)).isFalse();
    assertThat(stored(task)).isEqualTo(canceled);
  }

  @Test
  void bringsNoUnknownTaskToLife() {
    Task known = inserted();
    Task unknown = create(Map.of());
    Task canceled = chain.cancel(unknown, START);

    assertThat(exchange(unknown, canceled)).isFalse();
    assertThat(
            store.exchange(
                List.of(
                    new Exchange(unknown, canceled),
                    new Exchange(known, chain.cancel(known, START)),
                    new Exchange(unknown, canceled))))
        .containsExactly(false, true, false);
    assertThat(store.find(unknown.id())).isEmpty();
    assertThat(store.overdue(START.plusSeconds(1_000_000), 10)).isEmpty();
  }

  @Test
  void isRefusedWhenItSkipsAVersion() {
    Task task = create(Map.of());
    Task later = chain.unpark(chain.unpark(task, START), START);

    assertThatThrownBy(() -> new Exchange(task, later))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void answersABatchOneByOneAndInOrder() {
    List<Task> tasks = new ArrayList<>();
    List<Exchange> exchanges = new ArrayList<>();
    List<Boolean> expected = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Task task = inserted();
      tasks.add(task);
      boolean lost = i % 3 == 1;
      if (lost) {
        exchanged(task, chain.cancel(task, START));
      }
      exchanges.add(new Exchange(task, chain.unpark(task, START.plusMillis(i))));
      expected.add(!lost);
    }

    assertThat(store.exchange(exchanges)).isEqualTo(expected);
    for (int i = 0; i < 20; i++) {
      Task after = exchanges.get(i).after();
      assertThat(stored(tasks.get(i)).equals(after)).as("task " + i).isEqualTo(expected.get(i));
    }
    assertThat(store.exchange(exchanges)).as("repeated").containsOnly(false);
  }

  @Test
  void answersAnEmptyBatchWithNothing() {
    assertThat(store.exchange(List.of())).isEmpty();
  }

  @Test
  void isCarriedOutForOneOfManyThreads() throws Exception {
    try (Race race = new Race(16)) {
      Task task = inserted();
      for (int round = 0; round < 30; round++) {
        Task before = task;

        List<Task> mine =
            race.run(
                thread -> {
                  Task after = chain.unpark(before, START.plusMillis(thread));
                  return exchange(before, after) ? after : before;
                });

        List<Task> carriedOut = mine.stream().filter(after -> !after.equals(before)).toList();
        assertThat(carriedOut).as("round " + round).hasSize(1);
        assertThat(stored(task)).isEqualTo(carriedOut.get(0));
        task = carriedOut.get(0);
      }
    }
  }

  @Test
  void inBatchesIsCarriedOutForOneOfManyThreads() throws Exception {
    try (Race race = new Race(16)) {
      List<Task> tasks = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        tasks.add(inserted());
      }
      for (int round = 0; round < 10; round++) {
        List<Task> before = List.copyOf(tasks);

        List<List<Boolean>> answers =
            race.run(
                thread ->
                    store.exchange(
                        before.stream()
                            .map(t -> new Exchange(t, chain.unpark(t, START.plusMillis(thread))))
                            .toList()));

        for (int i = 0; i < before.size(); i++) {
          int position = i;
          List<Integer> winners =
              LongStream.range(0, 16)
                  .mapToInt(Math::toIntExact)
                  .filter(thread -> answers.get(thread).get(position))
                  .boxed()
                  .toList();
          assertThat(winners).as("round %d, task %d", round, i).hasSize(1);
          Task after = chain.unpark(before.get(i), START.plusMillis(winners.get(0)));
          assertThat(stored(after)).isEqualTo(after);
          tasks.set(i, after);
        }
      }
    }
  }

  @Test
  void leavesAnExtendedLeaseAloneThatGoesOn() {
    Task task = started(inserted());
    Instant longer = task.wakeAt().orElseThrow().plusSeconds(20);
    assertThat(store.extend(List.of(claimOf(task)), longer)).containsExactly(true);

    Task canceled = exchanged(task, chain.cancel(task, dueAt(task).plusSeconds(1)));

    assertThat(canceled.wakeAt()).isEqualTo(task.wakeAt());
    assertThat(stored(task).leases()).containsExactly(canceled.leases().get(0).extended(longer));
    assertThat(stored(task).claim()).isEqualTo(task.claim());
    assertThat(stored(task).status()).isEqualTo(TaskStatus.CANCELED);
  }

  @Test
  void endsAnExtendedLeaseWithItsClaim() {
    Task task = started(inserted());
    store.extend(List.of(claimOf(task)), task.wakeAt().orElseThrow().plusSeconds(20));
    Task next = chain.complete(task, new Outcome.Succeeded(), dueAt(task).plusSeconds(12));

    assertThat(exchange(task, next)).isTrue();
    assertThat(stored(task)).isEqualTo(next);
  }

  @Test
  void endsAnExtendedLeaseOfATaskThatIsOver() {
    Task task = started(inserted(Map.of("maxRuns", 1)));
    store.extend(List.of(claimOf(task)), task.wakeAt().orElseThrow().plusSeconds(20));
    Task finished = chain.complete(task, new Outcome.Succeeded(), dueAt(task).plusSeconds(12));

    assertThat(exchange(task, finished)).isTrue();
    assertThat(stored(task)).isEqualTo(finished);
    assertThat(stored(task).wakeAt()).isEmpty();
  }

  @Test
  void takesOverAClaimWhoseLeaseHasEnded() {
    Task task = started(inserted());
    Task takenOver = chain.wake(task, task.wakeAt().orElseThrow());

    assertThat(exchange(task, takenOver)).isTrue();
    assertThat(stored(task)).isEqualTo(takenOver);
  }

  /** Between the sweeper's look and its exchange the worker has come back to life. */
  @Test
  void doesNotTakeOverAClaimThatWasExtendedAfterAll() {
    Task task = started(inserted());
    Instant end = task.wakeAt().orElseThrow();
    List<Task> overdue = store.overdue(end, 10);
    assertThat(overdue).containsExactly(task);
    assertThat(store.extend(List.of(claimOf(task)), end.plusSeconds(20))).containsExactly(true);

    assertThat(exchange(task, chain.wake(task, end.plusSeconds(1)))).isFalse();
    assertThat(stored(task).claim()).isEqualTo(task.claim());
    assertThat(stored(task).version()).isEqualTo(task.version());
  }

  @Test
  void eitherTakesOverOrLosesAgainstAnExtension() throws Exception {
    try (Race race = new Race(2)) {
      for (int round = 0; round < 50; round++) {
        Task task = started(inserted());
        Instant end = task.wakeAt().orElseThrow();
        Task takenOver = chain.wake(task, end);

        List<Boolean> answers =
            race.run(
                runner ->
                    runner == 0
                        ? store.extend(List.of(claimOf(task)), end.plusSeconds(20)).get(0)
                        : exchange(task, takenOver));

        assertThat(answers).as("extended, taken over").containsExactlyInAnyOrder(true, false);
        assertThat(stored(task).claim().isPresent()).isEqualTo(answers.get(0));
      }
    }
  }

  /** Whoever holds a claim looks again and gets through. */
  @Test
  void isCarriedOutForAHolderThatHasExtendedItsLeaseBeyondTheFirst() {
    Task task = started(inserted());
    Instant firstEnd = task.wakeAt().orElseThrow();
    store.extend(List.of(claimOf(task)), firstEnd.plusSeconds(20));
    Instant end = firstEnd.plusSeconds(10);
    assertThat(exchange(task, chain.complete(task, new Outcome.Succeeded(), end))).isFalse();

    Task current = stored(task);
    assertThat(current.isHeldBy(claimOf(task))).isTrue();
    Task next = chain.complete(current, new Outcome.Succeeded(), end);

    assertThat(exchange(current, next)).isTrue();
    assertThat(stored(task)).isEqualTo(next);
  }

  @Test
  void archivesWhatTheWindowLeavesBehind() {
    Task task = inserted(create(smallChain, Map.of()));
    List<SubTask> finished = new ArrayList<>();
    while (task.subTasks().get(0).index() == 0) {
      task = fired(smallChain, task);
      long last = task.cursor() - 1;
      task.subTask(last).ifPresent(finished::add);
    }

    assertThat(subTasks(task)).startsWith(finished.toArray(SubTask[]::new));
    assertThat(subTasks(task)).endsWith(task.subTasks().toArray(SubTask[]::new));
    assertDense(task);
  }

  /** A process may die between the two writes, and another does them both. */
  @Test
  void archivesOnceHoweverOftenItIsTried() {
    Task task = beforeShift();
    Task started = started(task);
    Task next = smallChain.complete(started, new Outcome.Succeeded(), dueAt(task));
    Task faster = exchanged(started, smallChain.cancel(started, dueAt(task)));

    assertThat(exchange(started, next)).isFalse();
    assertThat(exchange(started, next)).isFalse();
    assertThat(subTasks(task)).isEqualTo(faster.subTasks());

    Task last =
        exchanged(faster, smallChain.complete(faster, new Outcome.Succeeded(), dueAt(task)));
    assertThat(subTasks(task)).isEqualTo(last.subTasks());
  }

  private Task beforeShift() {
    Task task = inserted(create(smallChain, Map.of()));
    while (true) {
      Task started = Chain.start(task, request(task).claim(), dueAt(task), dueAt(task).plus(LEASE));
      Task next = smallChain.complete(started, new Outcome.Succeeded(), dueAt(task));
      if (next.subTasks().get(0).index() > 0) {
        return task;
      }
      task = fired(smallChain, task);
    }
  }

  /** An edit may leave a task fewer sub-tasks: those never were. */
  @Test
  void doesNotArchiveWhatIsNoLongerToCome() {
    Task task = inserted();
    Task shorter =
        edited(task, task.definition(), TaskStatus.ACTIVE, task.subTasks().subList(0, 10));

    assertThat(exchange(task, shorter)).isTrue();
    assertThat(stored(task)).isEqualTo(shorter);
    assertThat(subTasks(task)).isEqualTo(shorter.subTasks());
  }

  @Test
  void keepsEveryStepOfALongChain() {
    Task task = inserted();
    int firings = 400;
    for (int i = 0; i < firings; i++) {
      Task started = started(task);
      assertThat(stored(task)).isEqualTo(started);
      Instant end = dueAt(task).plusMillis(i);
      Outcome outcome =
          i % 7 == 3 ? new Outcome.Failed("failed by plan", false) : new Outcome.Succeeded();
      task = exchanged(started, chain.complete(started, outcome, end));
      assertThat(stored(task)).isEqualTo(task);
    }

    assertThat(task.cursor()).isEqualTo(firings);
    assertThat(task.tally().total()).isEqualTo(firings);
    List<SubTask> all = subTasks(task);
    assertDense(task);
    assertThat(all.subList(0, firings))
        .allSatisfy(
            subTask ->
                assertThat(subTask.status())
                    .isEqualTo(
                        subTask.index() % 7 == 3 ? SubTaskStatus.FAILED : SubTaskStatus.SUCCEEDED));
    assertThat(all.size()).isGreaterThan(firings + 50);
  }

  private void assertDense(Task task) {
    List<SubTask> all = subTasks(task);
    assertThat(all)
        .extracting(SubTask::index)
        .isEqualTo(LongStream.range(0, all.size()).boxed().toList());
  }
}
