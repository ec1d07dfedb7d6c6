package dev.carillon.worker;

import static dev.carillon.worker.Running.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.flow.Ports;
import dev.carillon.flow.Sweep;
import dev.carillon.inprocess.InProcessBroker;
import dev.carillon.inprocess.InProcessQueues;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.StoreClock;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.UnreliableStore;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Chain;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180) // what hangs has failed
final class SweepLoopTest {

  private static final Duration LEASE = Duration.ofSeconds(30);

  private static final Duration LONGER_THAN_THE_SWEEP_INTERVAL = Duration.ofMillis(80);

  private final UnreliableStore store =
      new UnreliableStore(new MemoryTaskStore(InstantSource.system()));
  private final StoreClock clock =
      new StoreClock(InstantSource.system(), Instant::now, StoreClock.DEFAULT_LIMIT);
  private final InProcessBroker broker = new InProcessBroker(clock);
  private final InProcessQueues queues = broker.connect();
  private final AtomicInteger purged = new AtomicInteger();
  private SweepLoop loop;

  private void start() {
    clock.refresh();
    startWithoutComparingClocks();
  }

  private void startWithoutComparingClocks() {
    SchedulerMetrics metrics =
        new SchedulerMetrics() {
          @Override
          public void purged(int count) {
            purged.incrementAndGet();
          }
        };
    Ports ports =
        new Ports(
            store,
            new MemoryTaskKeys(),
            queues,
            broker.parkedMessages(),
            new Chain(queues, Chain.Settings.DEFAULT),
            clock,
            metrics);
    loop = new SweepLoop(new Sweep(ports, 10), ports, clock, Running.settings(1, 1, LEASE, LEASE));
    loop.start();
  }

  @AfterEach
  void stop() {
    loop.close();
    queues.close();
    broker.close();
  }

  private void awaitSweeps(int more) {
    int enough = store.calls(Operation.OVERDUE) + more;
    soon().until(() -> store.calls(Operation.OVERDUE) >= enough);
  }

  @Test
  void sweepsAgainAndAgain() {
    start();
    awaitSweeps(3);
  }

  @Test
  void nothingIsSweptOrPurgedBeforeTheClockIsCompared() {
    AtomicBoolean compared = new AtomicBoolean();
    AtomicBoolean tooEarly = new AtomicBoolean();
    store.before(Operation.OVERDUE, () -> tooEarly.compareAndSet(false, !compared.get()));
    store.before(Operation.PURGE, () -> tooEarly.compareAndSet(false, !compared.get()));
    startWithoutComparingClocks();
    Instant started = Instant.now();
    soon().until(() -> Instant.now().isAfter(started.plus(LONGER_THAN_THE_SWEEP_INTERVAL)));

    compared.set(true);
    clock.refresh();

    awaitSweeps(1);
    soon().until(() -> purged.get() == 1);
    assertThat(tooEarly).isFalse();
  }

  @Test
  void goesOnWhenTheStoreHasBeenAway() {
    store.goAway();
    start();
    awaitSweeps(2);
    store.comeBack();
    awaitSweeps(2);
  }

  @Test
  void goesOnWhateverWasThrown() {
    store.before(
        Operation.OVERDUE,
        () -> {
          throw new NoClassDefFoundError("half an installation");
        });
    start();
    awaitSweeps(3);
  }

  @Test
  void oldSubTasksAreRemoved() {
    start();
    soon().until(() -> store.calls(Operation.PURGE) == 1 && purged.get() == 1);
  }

  @Test
  void oldIdempotencyKeysAreForgotten() {
    Instant now = clock.instant();
    KeyedCreation old = new KeyedCreation("old", "", Tasks.id(1), now.minus(Duration.ofHours(25)));
    KeyedCreation young = new KeyedCreation("young", "", Tasks.id(2), now);
    store.takeKey(old);
    store.takeKey(young);

    start();

    soon().until(() -> store.findKeyed("old", old.takenAt()).isEmpty());
    assertThat(store.findKeyed("young", now)).contains(young);
  }

  @Test
  void whenThereIsMuchToRemoveItIsRemovedByTurnsWithSweeps() {
    List<Integer> sweepsBefore = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 3; i++) {
      store.answer(
          Operation.PURGE,
          () -> {
            sweepsBefore.add(store.calls(Operation.OVERDUE));
            LockSupport.parkNanos(LONGER_THAN_THE_SWEEP_INTERVAL.toNanos()); // a slow store
            return 1_000;
          });
    }

    start();

    soon().until(() -> store.calls(Operation.PURGE) == 4);
    assertThat(sweepsBefore).hasSize(3).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aSweepThatIsUnderWayMayComeToItsEnd() {
    CountDownLatch sweeping = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    AtomicBoolean ended = new AtomicBoolean();
    store.before(
        Operation.OVERDUE,
        () -> {
          sweeping.countDown();
          try {
            mayGoOn.await();
          } catch (InterruptedException e) {
            interrupted.set(true);
          }
          ended.set(true);
        });
    start();
    soon().until(() -> sweeping.getCount() == 0);

    Thread stopping = new Thread(loop::close);
    stopping.start();
    soon().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
    mayGoOn.countDown();
    soon().until(() -> !stopping.isAlive());

    assertThat(ended).isTrue();
    assertThat(interrupted).isFalse();
  }

  @Test
  void aSweepThatHangsIsInterrupted() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    store.before(
        Operation.OVERDUE,
        () -> {
          try {
            never.await();
          } catch (InterruptedException e) {
            interrupted.set(true);
          }
        });
    start();
    soon().until(() -> store.calls(Operation.OVERDUE) == 1);

    loop.close();

    soon().untilTrue(interrupted);
    int calls = store.calls(Operation.OVERDUE);
    loop.close();
    assertThat(store.calls(Operation.OVERDUE)).isEqualTo(calls);
  }
}
