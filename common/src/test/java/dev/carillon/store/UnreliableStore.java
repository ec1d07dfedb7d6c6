package dev.carillon.store;

import dev.carillon.task.Claim;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A store that fails as a test wants it to, before or after a call has taken effect, and lets
 * others be faster. Thread-safe.
 */
public final class UnreliableStore implements TaskStore {

  /** What can be made to fail. */
  public enum Operation {
    INSERT,
    FIND_KEYED,
    TAKE_KEY,
    CLAIM,
    EXCHANGE,
    EXTEND,
    OVERDUE,
    FIND,
    PURGE,
    PURGE_KEYS,
    TAKE,
    EXTEND_PERMITS,
    GIVE_BACK,
    HELD,
    PURGE_PERMITS,
    IN_LINE,
    NOW
  }

  /** What comes out of a store that cannot be reached. */
  public static final class AwayException extends RuntimeException {
    private static final long serialVersionUID = 1;

    AwayException(Operation operation) {
      super(operation + ": the store is away");
    }

    AwayException(Operation operation, Object lost) {
      super(operation + ": the store is away, and with it the reply " + lost);
    }
  }

  /** What happens instead of a call. */
  private interface Twist {
    <T> T apply(Supplier<T> call);
  }

  private final TaskStore store;
  private final Map<Operation, Deque<Twist>> twists = new EnumMap<>(Operation.class);
  private final Map<Operation, Integer> calls = new EnumMap<>(Operation.class);
  private boolean away;

  public UnreliableStore(TaskStore store) {
    this.store = store;
  }

  /** The next call that nothing has been said about has no effect and fails. */
  public void fail(Operation operation) {
    add(
        operation,
        new Twist() {
          @Override
          public <T> T apply(Supplier<T> call) {
            throw new AwayException(operation);
          }
        });
  }

  /** The next call that nothing has been said about takes effect and fails. */
  public void loseReply(Operation operation) {
    add(
        operation,
        new Twist() {
          @Override
          public <T> T apply(Supplier<T> call) {
            T lost = call.get();
            throw new AwayException(operation, lost);
          }
        });
  }

  /** Somebody else does something just before the next call that nothing has been said about. */
  public void before(Operation operation, Runnable somebodyElse) {
    add(
        operation,
        new Twist() {
          @Override
          public <T> T apply(Supplier<T> call) {
            somebodyElse.run();
            return call.get();
          }
        });
  }

  /** The next call that nothing has been said about gets this answer and has no effect. */
  public void answer(Operation operation, Supplier<?> answer) {
    add(
        operation,
        new Twist() {
          @Override
          @SuppressWarnings("unchecked") // who gives the answer knows what the operation answers
          public <T> T apply(Supplier<T> call) {
            return (T) answer.get();
          }
        });
  }

  private synchronized void add(Operation operation, Twist twist) {
    twists.computeIfAbsent(operation, any -> new ArrayDeque<>()).addLast(twist);
  }

  /** Nothing can be done any more. */
  public synchronized void goAway() {
    away = true;
  }

  /** Everything can be done again. */
  public synchronized void comeBack() {
    away = false;
  }

  /** How often an operation was called, whatever came of it. */
  public synchronized int calls(Operation operation) {
    return calls.getOrDefault(operation, 0);
  }

  private <T> T call(Operation operation, Supplier<T> call) {
    Optional<Twist> twist = begin(operation);
    return twist.isPresent() ? twist.get().apply(call) : call.get();
  }

  private synchronized Optional<Twist> begin(Operation operation) {
    calls.merge(operation, 1, Integer::sum);
    if (away) {
      throw new AwayException(operation);
    }
    return Optional.ofNullable(twists.getOrDefault(operation, new ArrayDeque<>()).pollFirst());
  }

  @Override
  public boolean insert(Task task) {
    return call(Operation.INSERT, () -> store.insert(task));
  }

  @Override
  public Optional<KeyedCreation> findKeyed(String key, Instant now) {
    return call(Operation.FIND_KEYED, () -> store.findKeyed(key, now));
  }

  @Override
  public KeyedCreation takeKey(KeyedCreation wanted) {
    return call(Operation.TAKE_KEY, () -> store.takeKey(wanted));
  }

  @Override
  public List<ClaimAnswer> claim(Collection<ClaimRequest> claims, Instant now, Duration lease) {
    return call(Operation.CLAIM, () -> store.claim(claims, now, lease));
  }

  @Override
  public List<Boolean> exchange(Collection<Exchange> exchanges) {
    return call(Operation.EXCHANGE, () -> store.exchange(exchanges));
  }

  @Override
  public List<Boolean> extend(Collection<Claim> claims, Instant leaseUntil) {
    return call(Operation.EXTEND, () -> store.extend(claims, leaseUntil));
  }

  @Override
  public List<Task> overdue(Instant now, int limit) {
    return call(Operation.OVERDUE, () -> store.overdue(now, limit));
  }

  @Override
  public Optional<Task> find(TaskId id) {
    return call(Operation.FIND, () -> store.find(id));
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
    return store.findRequested(id, key, takenAfter);
  }

  @Override
  public int purgeArchive(Instant endedBefore, int limit) {
    return call(Operation.PURGE, () -> store.purgeArchive(endedBefore, limit));
  }

  @Override
  public int purgeKeys(Instant takenBefore, int limit) {
    return call(Operation.PURGE_KEYS, () -> store.purgeKeys(takenBefore, limit));
  }

  @Override
  public boolean take(Permit permit, int limit, Instant now, Instant until) {
    return call(Operation.TAKE, () -> store.take(permit, limit, now, until));
  }

  @Override
  public List<Boolean> extendPermits(Collection<Permit> permits, Instant until) {
    return call(Operation.EXTEND_PERMITS, () -> store.extendPermits(permits, until));
  }

  @Override
  public void giveBack(Permit permit) {
    boolean unused =
        call(
            Operation.GIVE_BACK,
            () -> {
              store.giveBack(permit);
              return true;
            });
  }

  @Override
  public int held(String key, Instant now) {
    return call(Operation.HELD, () -> store.held(key, now));
  }

  @Override
  public int purgePermits(Instant endedBefore, int limit) {
    return call(Operation.PURGE_PERMITS, () -> store.purgePermits(endedBefore, limit));
  }

  @Override
  public List<Task> inLine(String key, int limit) {
    return call(Operation.IN_LINE, () -> store.inLine(key, limit));
  }

  @Override
  public Instant now() {
    return call(Operation.NOW, store::now);
  }
}
