package dev.carillon.simulation;

import static dev.carillon.simulation.Ledger.check;

import dev.carillon.simulation.SimulatedQueues.Steps;
import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskListing;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Backfill;
import dev.carillon.task.Claim;
import dev.carillon.task.Lease;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
    T answer;
    try {
      answer = effect.get();
    } catch (AssertionError e) { // whoever has called may go on all the same
      ledger.broken(e);
      throw e;
    }
    steps.step("after " + name);
    if (fails.getAsBoolean()) {
      throw new StoreAway("after " + name);
    }
    return answer;
  }

  @Override
  public boolean insert(Task task) {
    return call(
        "insert",
        () -> {
          boolean inserted = store.insert(task);
          if (inserted) {
            ledger.planned(task);
          }
          return inserted;
        });
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
              ledger.claimed(
                  won.task(), won.claim(), won.subTask(), now, now.plus(lease), store.now());
            }
          }
          // claims of many go together: what came of them is read from their tasks afterwards
          steps.step("between claim and look");
          return looked(List.copyOf(claims), answers);
        });
  }

  private List<ClaimAnswer> looked(List<ClaimRequest> requests, List<ClaimAnswer> answers) {
    List<ClaimAnswer> looked = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      ClaimRequest request = requests.get(i);
      ClaimAnswer answer = answers.get(i);
      if (answer instanceof Won) {
        answer =
            ClaimAnswer.beforeClaim(request, store.find(request.notice().task())).orElseThrow();
      }
      if (answer instanceof Won won) {
        ledger.begins(won.task(), won.claim(), won.subTask());
      }
      looked.add(answer);
    }
    return looked;
  }

  @Override
  public List<Boolean> exchange(Collection<Exchange> exchanges) {
    return call(
        "exchange",
        () -> {
          List<Boolean> answers = store.exchange(exchanges);
          int i = 0;
          for (Exchange exchange : exchanges) {
            if (answers.get(i++)) {
              writeDown(exchange);
            }
          }
          return answers;
        });
  }

  private void writeDown(Exchange exchange) {
    Task before = exchange.before();
    Task after = exchange.after();
    for (Lease lease : before.leases()) {
      if (!after.isHeldBy(lease.claim())) {
        Ledger.Entry entry = ledger.of(lease.claim());
        check(
            !isTakenOver(exchange, lease.index()) || !entry.leaseUntil.isAfter(after.updatedAt()),
            "taken over before the end of its lease: claim, lease end, now",
            lease.claim(),
            entry.leaseUntil,
            after.updatedAt());
        check(
            !isTakenOver(exchange, lease.index()) || ledger.mayBeSilent(lease.claim().worker()),
            "taken over although its worker is well:",
            lease.claim());
        entry.ended = true;
        entry.endedAt = after.updatedAt();
        entry.missed = isUnbegun(exchange, lease.index());
      }
    }
    for (Lease lease : store.find(after.id()).orElseThrow().leases()) {
      if (before.isHeldBy(lease.claim())) {
        Instant extendedUntil = ledger.of(lease.claim()).leaseUntil;
        check(!lease.until().isBefore(extendedUntil), "cut short:", lease, extendedUntil);
      }
    }
    for (Lease lease : after.leases()) {
      if (!before.isHeldBy(lease.claim())) {
        SubTask begun = after.subTask(lease.index()).orElseThrow();
        ledger.claimed(after, lease.claim(), begun, after.updatedAt(), lease.until(), store.now());
      }
    }
    if (after.revision() > before.revision()) {
      ledger.planned(after);
    }
    if (after.status() != TaskStatus.CANCELED) {
      Stream.concat(after.subTasks().stream(), after.extras().subTasks().stream())
          .filter(subTask -> subTask.status() == SubTaskStatus.CANCELED)
          .filter(subTask -> !before.subTask(subTask.index()).equals(Optional.of(subTask)))
          .forEach(subTask -> ledger.canceledAlone(after.id(), subTask));
    }
    after.extras().backfills().stream()
        .map(range -> Backfill.of(range.from(), range.to(), range.request()))
        .filter(range -> before.extras().backfills().stream().noneMatch(old -> isSame(old, range)))
        .forEach(range -> ledger.accepted(after, range));
  }

  private static boolean isSame(Backfill a, Backfill b) {
    return a.from().equals(b.from()) && a.to().equals(b.to());
  }

  private static boolean isTakenOver(Exchange exchange, long index) {
    int before = exchange.before().subTask(index).orElseThrow().lostWorkers();
    return exchange.after().subTask(index).filter(s -> s.lostWorkers() > before).isPresent();
  }

  private static boolean isUnbegun(Exchange exchange, long index) {
    SubTask claimed = exchange.before().subTask(index).orElseThrow();
    return exchange
        .after()
        .subTask(index)
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
              check(!ledger.of(claim).ended, "extended after its end:", claim);
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
  public TaskListing listing(TaskQuery query) {
    return store.listing(query);
  }

  @Override
  public List<SubTask> subTasks(TaskId id, SubTaskQuery query) {
    return store.subTasks(id, query);
  }

  @Override
  public Optional<SubTask> findRequested(TaskId id, String key, Instant takenAfter) {
    return call("find requested", () -> store.findRequested(id, key, takenAfter));
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
  public boolean take(Permit permit, int limit, Instant now, Instant until) {
    return call("take", () -> store.take(permit, limit, now, until));
  }

  @Override
  public List<Boolean> extendPermits(Collection<Permit> permits, Instant until) {
    return call("extend permits", () -> store.extendPermits(permits, until));
  }

  @Override
  public void giveBack(Permit permit) {
    boolean unused =
        call(
            "give back",
            () -> {
              store.giveBack(permit);
              return true;
            });
  }

  @Override
  public int held(String key, Instant now) {
    return call("held", () -> store.held(key, now));
  }

  @Override
  public int purgePermits(Instant endedBefore, int limit) {
    return store.purgePermits(endedBefore, limit);
  }

  @Override
  public List<Task> inLine(String key, int limit) {
    return call("in line", () -> store.inLine(key, limit));
  }

  @Override
  public Instant now() {
    return store.now();
  }
}
