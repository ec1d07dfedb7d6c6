package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.SECOND;
import static dev.carillon.flow.FlowWorld.at;
import static dev.carillon.flow.FlowWorld.notice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.flow.TaskLifecycle.KeyedAnswer;
import dev.carillon.flow.TaskLifecycle.KeyedAnswer.Created;
import dev.carillon.flow.TaskLifecycle.KeyedAnswer.NoInstantLeft;
import dev.carillon.flow.TaskLifecycle.KeyedAnswer.OtherRequest;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.UnreliableStore.AwayException;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.Tasks;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One task a key, whatever happens between the steps. */
final class KeyedCreateTest {

  private final FlowWorld world = new FlowWorld();
  private final TaskLifecycle lifecycle =
      new TaskLifecycle(world.ports(), new Random(42), Runnable::run);
  private final List<Instant> readAsOf = new ArrayList<>();

  /** A request that leaves out the start time: it means another task at another time. */
  private TaskDefinition read(Instant at) {
    readAsOf.add(at);
    return Tasks.definition(
        Map.of("interval", "PT10S", "startTime", at.plusSeconds(10).toString(), "maxRuns", 3));
  }

  private KeyedAnswer create(String fingerprint) {
    return lifecycle.create("key", fingerprint, this::read);
  }

  private Task created() {
    return ((Created) create("request")).task();
  }

  @Test
  void theFirstTakesTheKeyThenStoresThenParks() {
    world.store.before(Operation.TAKE_KEY, () -> world.done.add("take key"));
    world.store.before(Operation.INSERT, () -> world.done.add("insert"));

    Task task = created();

    assertThat(world.done).containsExactly("take key", "insert", "park");
    assertThat(world.stored(task)).isEqualTo(task);
    assertThat(world.memory.findKeyed("key", at(0)))
        .contains(new KeyedCreation("key", "request", task.id(), at(0)));
    assertThat(world.measured).containsExactly("created");
  }

  @Test
  void aRepetitionGetsTheTaskAsItIsNow() {
    Task task = created();
    world.setClock(at(10));
    Task claimed = world.claim(task, "worker");
    world.exchange(claimed, world.chain.complete(claimed, new Outcome.Succeeded(), at(10)));
    world.done.clear();
    world.setClock(at(40));

    assertThat(created()).isEqualTo(world.stored(task)).isNotEqualTo(task);

    assertThat(world.done).as("nothing is parked again").isEmpty();
    assertThat(world.measured).containsExactly("created");
  }

  @Test
  void aRepetitionGetsItsTaskAlthoughItCouldNotBeCreatedAnyMore() {
    Function<Instant, TaskDefinition> onlyEarly =
        at -> {
          if (at.isAfter(at(0))) {
            throw new IllegalArgumentException("too late");
          }
          return Tasks.every(SECOND, 1);
        };
    KeyedAnswer first = lifecycle.create("key", "request", onlyEarly);
    world.setClock(at(3600));

    assertThat(lifecycle.create("key", "request", onlyEarly)).isEqualTo(first);
    assertThatThrownBy(() -> lifecycle.create("another", "request", onlyEarly))
        .hasMessage("too late");
  }

  @Test
  void anotherRequestIsToldSo() {
    Task task = created();
    assertThat(create("another")).isEqualTo(new OtherRequest());
    assertThat(world.memory.all()).containsExactly(task);
  }

  @Test
  void aRequestThatIsRefusedTakesNoKey() {
    assertThatThrownBy(
            () ->
                lifecycle.create(
                    "key",
                    "refused",
                    at -> {
                      throw new IllegalArgumentException("malformed");
                    }))
        .hasMessage("malformed");
    TaskDefinition over =
        Tasks.definition(
            Map.of("interval", "PT1S", "startTime", at(1).toString(), "endTime", at(2).toString()));
    world.setClock(at(3));
    assertThat(lifecycle.create("key", "over", at -> over)).isEqualTo(new NoInstantLeft());

    assertThat(created()).isIn(world.memory.all());
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"FIND_KEYED", "TAKE_KEY", "INSERT"})
  void whereverItIsBrokenOffARepetitionBringsItToItsEnd(Operation operation) {
    Task whole = new KeyedCreateTest().created();
    for (boolean takesEffect : new boolean[] {false, true}) {
      KeyedCreateTest broken = new KeyedCreateTest();
      if (takesEffect) {
        broken.world.store.loseReply(operation);
      } else {
        broken.world.store.fail(operation);
      }
      assertThatThrownBy(broken::created).isInstanceOf(AwayException.class);

      Task task = broken.created();

      assertThat(broken.world.memory.all()).containsExactly(task);
      assertThat(broken.created()).isEqualTo(task);
      assertThat(task.definition()).isEqualTo(whole.definition());
      assertThat(task.subTasks().get(0).dueAt()).isEqualTo(whole.subTasks().get(0).dueAt());
    }
  }

  @Test
  void aTaskThatIsMadeLaterIsTheOneThatWasAskedForAtFirst() {
    world.store.fail(Operation.INSERT);
    assertThatThrownBy(this::created).isInstanceOf(AwayException.class);
    KeyedCreation taken = world.memory.findKeyed("key", at(0)).orElseThrow();
    world.setClock(at(25));

    Task task = created();

    assertThat(task.id()).isEqualTo(taken.task());
    assertThat(task.createdAt()).isEqualTo(at(0));
    assertThat(task.subTasks()).first().extracting("dueAt").isEqualTo(at(10));
    assertThat(readAsOf).containsOnly(at(0));
    assertThat(world.queues.parked).as("is late, and due at once").containsExactly(notice(task));
  }

  @Test
  void whoeverLosesTheKeyGetsTheTaskOfTheWinner() {
    List<Task> others = new ArrayList<>();
    world.store.before(Operation.TAKE_KEY, () -> others.add(created()));

    Task task = created();

    assertThat(others).containsExactly(task);
    assertThat(world.memory.all()).containsExactly(task);
    assertThat(world.queues.parked).containsExactly(notice(task));
  }

  @Test
  void whoeverLosesTheKeyToAnotherRequestIsToldSo() {
    world.store.before(Operation.TAKE_KEY, () -> create("another"));

    assertThat(create("request")).isEqualTo(new OtherRequest());
    assertThat(world.memory.all()).hasSize(1);
  }

  @Test
  void whoeverIsOvertakenBeforeTheInsertParksNothing() {
    List<Task> others = new ArrayList<>();
    world.store.before(Operation.INSERT, () -> others.add(created()));

    Task task = created();

    assertThat(others).containsExactly(task);
    assertThat(world.memory.all()).containsExactly(task);
    assertThat(world.queues.parked).containsExactly(notice(task));
    assertThat(world.measured).containsExactly("created");
  }

  @Test
  void aTaskWhoseMakerDiedBeforeParkingIsLeftToTheSweep() {
    world.store.loseReply(Operation.INSERT);
    assertThatThrownBy(this::created).isInstanceOf(AwayException.class);
    Task task = created();
    assertThat(world.queues.parked).isEmpty();

    world.setClock(at(10).plus(FlowWorld.GRACE));
    new Sweep(world.ports(), 10).sweepOnce();

    assertThat(world.queues.parked).containsExactly(notice(world.stored(task)));
  }

  @Test
  void afterADayTheKeyIsFree() {
    Task task = created();
    Instant end = at(0).plus(KeyedCreation.LIFE);
    world.setClock(end.minusMillis(1));
    assertThat(created().id()).isEqualTo(task.id());
    assertThat(create("another")).isEqualTo(new OtherRequest());

    world.setClock(end);

    Task another = ((Created) create("another")).task();
    assertThat(another.id()).isNotEqualTo(task.id());
    assertThat(another.createdAt()).isEqualTo(end);
    assertThat(world.memory.all()).containsExactly(task, another);
  }
}
