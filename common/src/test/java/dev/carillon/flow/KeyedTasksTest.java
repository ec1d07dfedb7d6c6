package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.flow.KeyedTasks.PutAnswer;
import dev.carillon.flow.KeyedTasks.Wish;
import dev.carillon.flow.TaskLifecycle.CancelAnswer;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.TaskKeys.Holder;
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
import java.util.Random;
import org.junit.jupiter.api.Test;

/** At most one active task a key, whatever happens between the steps. */
final class KeyedTasksTest {

  private final FlowWorld world = new FlowWorld();
  private final MemoryTaskKeys keys = new MemoryTaskKeys();
  private final TaskLifecycle lifecycle =
      new TaskLifecycle(world.ports(), new Random(42), Runnable::run);
  private final KeyedTasks tasks = new KeyedTasks(lifecycle, world.store, keys, world);
  private final Random ids = new Random(7);

  private static TaskDefinition once(String name, long seconds) {
    return Tasks.definition(Map.of("tags", List.of(name), "at", at(seconds).toString())).withKey("k");
  }

  private Wish wish(String name, long seconds) {
    return new Wish("k", TaskId.create(world.instant(), ids), once(name, seconds));
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
    Wish again = new Wish("k", wish.id(), once("first", 20));

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

    assertThat(tasks.put(new Wish("k", TaskId.create(at(20), ids), past)))
        .isEqualTo(new PutAnswer.NoInstantLeft());
    assertThat(keys.find("k")).isEmpty();
  }

  @Test
  void keysOfTasksThatHaveEndedAreForgottenInTime() {
    created(wish("first", 100_000));
    Wish other =
        new Wish(
            "l",
            TaskId.create(at(0), ids),
            Tasks.definition(Map.of("at", at(50_000).toString())).withKey("l"));
    created(other);
    assertThat(tasks.cancel("k")).isEqualTo(CancelAnswer.CANCELED);
    tasks.purge(1);
    tasks.purge(1);
    assertThat(keys.find("k")).as("not so soon").isPresent();

    world.setClock(world.instant().plus(KeyedTasks.ABANDONED_AFTER.multipliedBy(3)));
    for (int i = 0; i < 4; i++) {
      tasks.purge(1);
    }

    assertThat(keys.find("k")).isEmpty();
    assertThat(keys.find("l")).isPresent();
  }
}
