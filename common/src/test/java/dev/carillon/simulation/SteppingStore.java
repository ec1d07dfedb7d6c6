package dev.carillon.simulation;

import dev.carillon.simulation.SimulatedQueues.Steps;
import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Claim;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The store as a node sees it: before and after each call the node may die, and the call may fail
 * before or after it has taken effect.
 */
final class SteppingStore implements TaskStore {

  /** What a driver throws when its server cannot be reached. */
  static final class StoreAway extends RuntimeException {
    private static final long serialVersionUID = 1;

    StoreAway(String message) {
      super(message);
    }
  }

  private final MemoryTaskStore store;
  private final Ledger ledger;
  private final Steps steps;
  private final BooleanSupplier fails;

  SteppingStore(MemoryTaskStore store, Ledger ledger, Steps steps, BooleanSupplier fails) {
    this.store = store;
    this.ledger = ledger;
    this.steps = steps;
    this.fails = fails;
  }

  private <T> T call(String name, Supplier<T> effect) {
    steps.step("before " + name);
    if (fails.getAsBoolean()) {
      throw new StoreAway("before " + name);
    }
    T answer = effect.get();
    steps.step("after " + name);
    if (fails.getAsBoolean()) {
      throw new StoreAway("after " + name);
    }
    return answer;
  }

  @Override
  public boolean insert(Task task) {
    return call("insert", () -> store.insert(task));
  }

  @Override
  public Optional<KeyedCreation> findKeyed(String key, Instant now) {
    return call("find keyed", () -> store.findKeyed(key, now));
  }

  @Override
  public KeyedCreation takeKey(KeyedCreation wanted) {
    return call("take key", () -> store.takeKey(wanted));
  }

  @Override
  public List<ClaimAnswer> claim(Collection<ClaimRequest> claims, Instant now, Duration lease) {
    return call(
        "claim",
        () -> {
          List<ClaimAnswer> answers = store.claim(claims, now, lease);
          for (ClaimAnswer answer : answers) {
            if (answer instanceof Won won) {
              ledger.claimed(won.claim(), won.task().live().orElseThrow(), now, now.plus(lease));
            }
          }
          return answers;
        });
  }

  @Override
  public List<Boolean> exchange(Collection<Exchange> exchanges) {
    return call(
        "exchange",
        () -> {
          List<Boolean> answers = store.exchange(exchanges);
          int i = 0;
          for (Exchange exchange : exchanges) {
            Optional<Claim> claim = exchange.before().claim();
            if (answers.get(i++) && claim.isPresent() && exchange.after().claim().isEmpty()) {
              Ledger.Entry entry = ledger.of(claim.get());
              entry.ended = true;
              entry.missed = isUnbegun(exchange);
            }
          }
          return answers;
        });
  }

  private static boolean isUnbegun(Exchange exchange) {
    SubTask claimed = exchange.before().live().orElseThrow();
    return exchange
        .after()
        .subTask(claimed.index())
        .filter(after -> after.attempt() < claimed.attempt())
        .isPresent();
  }

  @Override
  public List<Boolean> extend(Collection<Claim> claims, Instant leaseUntil) {
    return call(
        "extend",
        () -> {
          List<Boolean> held = store.extend(claims, leaseUntil);
          int i = 0;
          for (Claim claim : claims) {
            if (held.get(i++)) {
              ledger.of(claim).leaseUntil = leaseUntil;
            }
          }
          return held;
        });
  }

  @Override
  public List<Task> overdue(Instant now, int limit) {
    return call("overdue", () -> store.overdue(now, limit));
  }

  @Override
  public Optional<Task> find(TaskId id) {
    return call("find", () -> store.find(id));
  }

  @Override
  public List<Task> list(TaskQuery query) {
    return store.list(query);
  }

  @Override
  public List<SubTask> subTasks(TaskId id, SubTaskQuery query) {
    return store.subTasks(id, query);
  }

  @Override
  public int purgeArchive(Instant endedBefore, int limit) {
    return store.purgeArchive(endedBefore, limit);
  }

  @Override
  public int purgeKeys(Instant takenBefore, int limit) {
    return store.purgeKeys(takenBefore, limit);
  }

  @Override
  public Instant now() {
    return store.now();
  }
}
