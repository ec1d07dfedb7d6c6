package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.flow.KeyedTasks.PutAnswer;
import dev.carillon.flow.KeyedTasks.Wish;
import dev.carillon.flow.TaskLifecycle.CancelAnswer;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.TaskKeys.Holder;
import dev.carillon.store.TaskStore;
import dev.carillon.store.UnreadableTaskException;
import dev.carillon.store.UnreliableStore.AwayException;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** At most one active task a key, whatever happens between the steps. */
final class KeyedTasksTest {

  private final FlowWorld world = new FlowWorld();
  private final MemoryTaskKeys keys = world.keys;
  private final TaskLifecycle lifecycle =
      new TaskLifecycle(world.ports(), new Random(42), Runnable::run);
  private final KeyedTasks tasks = new KeyedTasks(lifecycle, world.ports());
  private final KeyPurge purge = new KeyPurge(world.ports());
  private final Random ids = new Random(7);

  private static TaskDefinition once(String name, long seconds) {
    return keyed("k", seconds).toBuilder().tags(List.of(name)).build();
  }

  private static TaskDefinition keyed(String key, long seconds) {
    return Tasks.definition(Map.of("at", at(seconds).toString())).toBuilder()
        .key(Optional.of(key))
        .build();
  }

  private Wish wish(String name, long seconds) {
    return wish(TaskId.create(world.instant(), ids), once(name, seconds));
  }

  private Wish wish(TaskId id, TaskDefinition definition) {
    return new Wish(id, definition, world.instant(), Optional.empty());
  }

  private List<Task> active() {
    return world.memory.all().stream().filter(t -> t.status() == TaskStatus.ACTIVE).toList();
  }

  private Task created(Wish wish) {
    return ((PutAnswer.Created) tasks.put(wish)).task();
  }

  @Test
  void aTaskThatWaitsIsReplacedInPlace() {
    Task first = created(wish("first", 60));

    PutAnswer answer = tasks.put(wish("second", 30));

    Task second = ((PutAnswer.Replaced) answer).task();
    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.nextDueAt()).contains(at(30));
    assertThat(second.token()).as("the old notice is of no use").isGreaterThan(first.token());
    assertThat(active()).containsExactly(second);
    assertThat(tasks.find("k")).contains(second);
  }

  @Test
  void oneThatHasBegunIsNotTurnedIntoAnotherButCalledOff() {
    Task first = created(wish("first", 10));
    world.setClock(at(10));
    Task running = world.claim(first, "worker");

    Task second = created(wish("second", 30));

    assertThat(second.id()).isNotEqualTo(first.id());
    assertThat(world.stored(running).status()).isEqualTo(TaskStatus.CANCELED);
    assertThat(active()).containsExactly(second);
  }

  @Test
  void oneThatIsToBeTriedAgainIsCalledOffAsWell() {
    Task first = created(wish("first", 10));
    world.setClock(at(10));
    Task running = world.claim(first, "worker");
    world.exchange(running, world.chain.complete(running, new Outcome.Failed("no", true), at(11)));

    Task second = created(wish("second", 30));

    assertThat(active()).containsExactly(second);
  }

  @Test
  void whenATaskHasEndedItsKeyIsFree() {
    Task first = created(wish("first", 10));
    world.setClock(at(10));
    Task running = world.claim(first, "worker");
    world.exchange(running, world.chain.complete(running, new Outcome.Succeeded(), at(11)));

    Task second = created(wish("second", 30));

    assertThat(second.id()).isNotEqualTo(first.id());
    assertThat(tasks.find("k")).contains(second);
  }

  @Test
  void theSameWishTwiceIsOneTaskEvenAfterItHasRun() {
    Wish wish = wish("first", 10);
    Task first = created(wish);
    assertThat(tasks.put(wish)).isEqualTo(new PutAnswer.Repeated(first));
    world.setClock(at(10));
    Task running = world.claim(first, "worker");
    Task finished = world.chain.complete(running, new Outcome.Succeeded(), at(10));
    world.exchange(running, finished);
    Wish again = wish(wish.id(), once("first", 20));

    assertThat(tasks.put(again)).isEqualTo(new PutAnswer.Repeated(finished));
    assertThat(active()).isEmpty();
  }

  @Test
  void creatingDoesNotReplace() {
    Task first = created(wish("first", 60));

    assertThat(tasks.create(wish("second", 30))).isEqualTo(new PutAnswer.Taken(first.id()));
    assertThat(world.memory.all()).containsExactly(first);
  }

  @Test
  void whoeverDiesBetweenKeyAndTaskIsNobodysConcern() {
    world.store.fail(Operation.INSERT);
    assertThatThrownBy(() -> tasks.put(wish("lost", 60))).isInstanceOf(AwayException.class);
    assertThat(tasks.cancel("k")).isEqualTo(CancelAnswer.UNKNOWN);

    Task task = created(wish("second", 30));

    assertThat(world.memory.all()).containsExactly(task);
    assertThat(tasks.find("k")).contains(task);
    assertThat(tasks.cancel("k")).isEqualTo(CancelAnswer.CANCELED);
  }

  @Test
  void aRepetitionAfterALostReplyFindsItsTask() {
    Wish wish = wish("first", 60);
    world.store.loseReply(Operation.INSERT);
    assertThatThrownBy(() -> tasks.put(wish)).isInstanceOf(AwayException.class);

    assertThat(tasks.put(wish)).isInstanceOf(PutAnswer.Repeated.class);
    assertThat(active()).hasSize(1);
  }

  @Test
  void ofTwoWhoAreBetweenKeyAndTaskOneIsReplaced() {
    List<PutAnswer> others = new ArrayList<>();
    world.store.before(Operation.INSERT, () -> others.add(tasks.put(wish("faster", 30))));

    PutAnswer answer = tasks.put(wish("first", 60));

    assertThat(others).singleElement().isInstanceOf(PutAnswer.Created.class);
    assertThat(answer).isInstanceOf(PutAnswer.Repeated.class);
    assertThat(active()).singleElement().extracting(t -> t.nextDueAt().get()).isEqualTo(at(30));
  }

  @Test
  void ofTwoWhoCreateOneIsToldOfTheOther() {
    List<PutAnswer> others = new ArrayList<>();
    world.store.before(Operation.INSERT, () -> others.add(tasks.create(wish("faster", 30))));

    PutAnswer answer = tasks.create(wish("first", 60));

    Task faster = ((PutAnswer.Created) others.get(0)).task();
    assertThat(answer).isEqualTo(new PutAnswer.Taken(faster.id()));
  }

  @Test
  void aKeyOfATaskThatWasRemovedLongAgoLeadsToANewId() {
    TaskId removed = TaskId.create(world.instant(), ids);
    keys.takeFree(List.of(new Holder("k", removed, world.instant())));
    world.setClock(world.instant().plus(KeyedTasks.ABANDONED_AFTER).plusMillis(1));

    Task task = created(wish("new", 10_000));

    assertThat(task.id()).isNotEqualTo(removed);
    assertThat(tasks.find("k")).contains(task);
  }

  @Test
  void whatIsOverTakesNoKey() {
    TaskDefinition past = once("past", 10);
    world.setClock(at(20));

    assertThat(tasks.put(wish(TaskId.create(at(20), ids), past)))
        .isEqualTo(new PutAnswer.NoInstantLeft());
    assertThat(keys.find("k")).isEmpty();
  }

  @Test
  void keysOfTasksThatHaveEndedAreForgottenInTime() {
    created(wish("first", 100_000));
    Wish other = wish(TaskId.create(at(0), ids), keyed("l", 50_000));
    created(other);
    assertThat(tasks.cancel("k")).isEqualTo(CancelAnswer.CANCELED);
    purge.purge(1);
    purge.purge(1);
    assertThat(keys.find("k")).as("not so soon").isPresent();

    world.setClock(world.instant().plus(KeyedTasks.ABANDONED_AFTER.multipliedBy(3)));
    for (int i = 0; i < 4; i++) {
      purge.purge(1);
    }

    assertThat(keys.find("k")).isEmpty();
    assertThat(keys.find("l")).isPresent();
  }

  @Test
  void aTaskThatCannotBeReadKeepsItsKeyAndHoldsUpNoOther() {
    created(wish("first", 60));
    Wish other = wish(TaskId.create(at(0), ids), keyed("l", 50));
    created(other);
    assertThat(tasks.cancel("l")).isEqualTo(CancelAnswer.CANCELED);
    world.setClock(world.instant().plus(KeyedTasks.ABANDONED_AFTER.multipliedBy(3)));
    world.store.answer(
        Operation.FIND,
        () -> {
          throw new UnreadableTaskException("first", "wrong", null);
        });

    assertThat(purge.purge(10)).isFalse();

    assertThat(keys.find("k")).isPresent();
    assertThat(keys.find("l")).isEmpty();
  }

  @Test
  void manyAreCreatedReplacedAndLeftAsTheyAreAtOnce() {
    Task waiting = created(wish("waiting", 60));
    Wish repeated = wish(TaskId.create(at(0), ids), keyed("repeated", 60));
    Task there = created(repeated);
    Task ended = created(wish(TaskId.create(at(0), ids), keyed("ended", 60)));
    assertThat(tasks.cancel("ended")).isEqualTo(CancelAnswer.CANCELED);
    Wish fresh = wish(TaskId.create(at(0), ids), keyed("fresh", 60));
    Wish afterEnded = wish(TaskId.create(at(0), ids), keyed("ended", 90));

    List<PutAnswer> answers =
        tasks.putAll(List.of(wish("replacing", 30), repeated, fresh, afterEnded));

    assertThat(answers.get(0)).isInstanceOf(PutAnswer.Replaced.class);
    assertThat(world.stored(waiting).nextDueAt()).contains(at(30));
    assertThat(answers.get(1)).isEqualTo(new PutAnswer.Repeated(there));
    assertThat(answers.get(2)).isInstanceOf(PutAnswer.Created.class);
    assertThat(tasks.find("fresh")).map(Task::id).contains(fresh.id());
    assertThat(answers.get(3)).isInstanceOf(PutAnswer.Created.class);
    assertThat(tasks.find("ended")).map(Task::id).contains(afterEnded.id());
    assertThat(world.stored(ended).status()).isEqualTo(TaskStatus.CANCELED);
    assertThat(tasks.putAll(List.of())).isEmpty();
  }

  @Test
  void whatAReplacementIsDueByNowIsNotLost() {
    created(wish("first", 60));
    Wish late = new Wish(TaskId.create(at(0), ids), once("late", 1), at(0), Optional.empty());
    world.setClock(at(5));

    assertThat(tasks.put(late)).isInstanceOf(PutAnswer.Created.class);

    assertThat(active()).singleElement().extracting(t -> t.nextDueAt().get()).isEqualTo(at(1));
  }

  @Test
  void aFailedTaskThatIsRetriedDoesNotTakeItsKeyBack() {
    Task first = created(wish("first", 10));
    world.setClock(at(10));
    Task running = world.claim(first, "worker");
    world.exchange(running, world.chain.complete(running, new Outcome.Failed("no", false), at(10)));
    Task second = created(wish("second", 30));

    new SubTaskLifecycle(world.ports(), Runnable::run).retry(first.id(), 0);

    assertThat(world.stored(first).status()).isEqualTo(TaskStatus.ACTIVE);
    assertThat(world.stored(first).definition().key()).isEmpty();
    assertThat(tasks.find("k")).contains(second);
  }

  /** Whatever the order of the steps of those who race, one active task has the key. */
  @Test
  void racesForAKeyEndWithOneActiveTask() throws InterruptedException {
    for (int round = 0; round < 200; round++) {
      List<Runnable> racers =
          List.of(
              () -> tasks.put(wish("a", 60)),
              () -> tasks.create(wish("b", 60)),
              () -> tasks.put(wish("c", 60)),
              () -> tasks.cancel("k"),
              this::finishWhatRuns);
      List<Thread> threads = racers.stream().map(Thread::new).toList();
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }

      List<Task> active = active();
      assertThat(active).hasSizeLessThanOrEqualTo(1);
      assertThat(tasks.find("k")).isPresent();
      if (!active.isEmpty()) {
        assertThat(tasks.find("k")).contains(active.get(0));
      }
      PutAnswer last = tasks.put(wish("last", 60));
      assertThat(last).isNotInstanceOf(PutAnswer.NoInstantLeft.class);
      assertThat(active()).hasSize(1);
    }
  }

  private void finishWhatRuns() {
    for (Task task : active()) {
      Task canceled = world.chain.cancel(task, world.instant());
      List<Boolean> unused = world.memory.exchange(List.of(new TaskStore.Exchange(task, canceled)));
    }
  }
}
