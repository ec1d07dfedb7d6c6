package dev.carillon.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.flow.Ingress;
import dev.carillon.flow.Ports;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.inprocess.InProcessParkedMessages;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.IncomingMessage;
import dev.carillon.queue.IncomingMessage.Answer.Taken;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import dev.carillon.simulation.Actors.Crash;
import dev.carillon.simulation.Actors.Node;
import dev.carillon.simulation.SimulatedQueues.Steps;
import dev.carillon.simulation.SteppingStore.StoreAway;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.TaskKeys;
import dev.carillon.store.TaskStore;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Action;
import dev.carillon.task.Chain;
import dev.carillon.task.MessageProperty;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/**
 * Messages that replace and cancel each other by their keys, taken in by processes that die between
 * any two steps, while what is due is run.
 */
final class KeyedMessagesSimulationTest {

  private static final int RUNS = Integer.getInteger("simulation.runs", 500);
  private static final long SEED = Long.getLong("simulation.seed", System.nanoTime());

  @Test
  void mixedFaultsLoseAndDoubleNothing() throws InterruptedException {
    System.out.println("keyed messages: " + RUNS + " runs, -Dsimulation.seed=" + SEED);
    Seeds.each(SEED, RUNS, KeyedMessagesSimulationTest::runWithMixedFaults);
  }

  private static void runWithMixedFaults(long seed) {
    double crash = new Random(seed).nextInt(3) * 0.02;
    double away = new Random(~seed).nextInt(3) * 0.02;
    new World(seed, (step, random) -> random.nextDouble() < crash, away).run();
  }

  @Test
  void aCrashAtAnyStepLosesAndDoublesNothing() {
    int crashed = 0;
    boolean reached = true;
    for (int n = 0; reached; n++) {
      int at = n;
      int[] steps = {0};
      World world = new World(4, (step, random) -> steps[0]++ == at, 0);
      try {
        world.run();
      } catch (AssertionError e) {
        throw new AssertionError("crash at step " + at, e);
      }
      reached = steps[0] > at;
      crashed += reached ? 1 : 0;
    }
    assertThat(crashed).as("steps that were crashed at").isGreaterThan(50);
  }

  /** A message, and what has become of it. */
  private static final class Sent {
    final String id;
    final Optional<String> key;
    final boolean cancels;
    final Duration delay;
    final Instant publishedAt;
    Instant ackedAt = Instant.MAX;
    final List<Instant> runs = new ArrayList<>();

    Sent(String id, Optional<String> key, boolean cancels, Duration delay, Instant publishedAt) {
      this.id = id;
      this.key = key;
      this.cancels = cancels;
      this.delay = delay;
      this.publishedAt = publishedAt;
    }

    IncomingMessage incoming() {
      Map<String, Object> headers = new HashMap<>();
      key.ifPresent(name -> headers.put("x-carillon-key", name));
      headers.put("x-carillon-cancel", cancels);
      headers.put("x-delay", delay.toMillis());
      return new IncomingMessage(
          new Action.Amqp(
              "orders",
              "k",
              headers,
              Map.of(MessageProperty.MESSAGE_ID, id),
              Optional.empty(),
              true));
    }

    @Override
    public String toString() {
      return id
          + " "
          + key
          + (cancels ? " cancel" : " in " + delay)
          + " published "
          + publishedAt
          + " acked "
          + ackedAt
          + " ran "
          + runs;
    }
  }

  /** One run. */
  private static final class World {

    private static final Instant START = SimulatedWorld.START;
    private static final Duration LEASE = Duration.ofHours(1);
    private final Random random;
    private final BiPredicate<String, Random> crashAt;
    private final double away;
    private final Actors actors;
    private final MemoryTaskStore store;
    private final MemoryTaskKeys keys = new MemoryTaskKeys();
    private final Chain chain = new Chain(Tasks.parking(LEASE), Chain.Settings.DEFAULT);
    private final List<Sent> sent = new ArrayList<>();
    private int acked;
    private int started;
    private int claims;

    World(long seed, BiPredicate<String, Random> crashAt, double away) {
      this.random = new Random(seed);
      this.crashAt = crashAt;
      this.away = away;
      this.actors = new Actors(random, START);
      this.store = new MemoryTaskStore(actors);
    }

    void run() {
      Instant at = START;
      for (int i = 0; i < 20; i++) {
        at = at.plusMillis(random.nextInt(4) == 0 ? 10_000 : random.nextInt(2_000));
        Optional<String> key =
            random.nextInt(6) == 0 ? Optional.empty() : Optional.of("k" + random.nextInt(2));
        boolean cancels = key.isPresent() && random.nextInt(4) == 0;
        Duration delay = Duration.ofMillis(1 + random.nextInt(4_000));
        sent.add(new Sent("m" + i, key, cancels, delay, at));
      }
      startTaker(Duration.ZERO);
      actors.spawn(new Node("runner"), Duration.ZERO, this::runWhatIsDue);
      try {
        actors.runUntil(at.plus(Duration.ofMinutes(10)));
        expectEverythingRight();
      } finally {
        actors.end();
      }
    }

    private void startTaker(Duration delay) {
      Node node = new Node("taker-" + ++started);
      actors.spawn(node, delay, () -> takeAll(node));
    }

    private void takeAll(Node node) {
      Ingress ingress = ingress(node);
      while (acked < sent.size()) {
        actors.sleepUntil(sent.get(acked).publishedAt);
        int end = acked + 1;
        boolean takesAll = random.nextBoolean(); // batches are not the same when they come again
        while (takesAll
            && end < sent.size()
            && !sent.get(end).publishedAt.isAfter(actors.instant())) {
          end++;
        }
        List<Sent> batch = sent.subList(acked, end);
        List<IncomingMessage> messages = batch.stream().map(Sent::incoming).toList();
        while (messages.stream().anyMatch(message -> message.answer().isEmpty())) {
          try {
            ingress.take(messages.stream().filter(m -> m.answer().isEmpty()).toList());
          } catch (StoreAway e) {
            actors.sleep(Duration.ofMillis(100));
          }
        }
        assertThat(messages).allMatch(message -> message.answer().get() instanceof Taken);
        batch.forEach(message -> message.ackedAt = actors.instant());
        acked = end;
      }
    }

    private Ingress ingress(Node node) {
      Steps steps = step -> step(node, step);
      TaskStore seen = seenFrom(steps);
      Ports ports =
          new Ports(
              seen,
              new SteppingKeys(keys, steps),
              new Parked(),
              new InProcessParkedMessages(actors),
              chain,
              actors,
              SchedulerMetrics.NONE);
      return new Ingress(
          new TaskLifecycle(ports, random, later -> {}),
          ports,
          messages -> {
            throw new AssertionError("everything has a delay");
          },
          random,
          StoreAway.class::isInstance);
    }

    /** Before and after each call the node may die, or the store be away. */
    private TaskStore seenFrom(Steps steps) {
      InvocationHandler handler =
          (proxy, method, arguments) -> {
            if (method.isDefault()) { // one by one, with steps in between
              return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            steps.step("before " + method.getName());
            mayBeAway();
            Object answer = method.invoke(store, arguments);
            steps.step("after " + method.getName());
            mayBeAway();
            return answer;
          };
      return (TaskStore)
          Proxy.newProxyInstance(
              TaskStore.class.getClassLoader(), new Class<?>[] {TaskStore.class}, handler);
    }

    private void mayBeAway() {
      if (random.nextDouble() < away) {
        throw new StoreAway("away");
      }
    }

    private void step(Node node, String step) {
      expectOneActiveForEachKey();
      if (crashAt.test(step, random)) {
        actors.kill(node);
        startTaker(Duration.ofMillis(random.nextInt(1_000)));
        throw new Crash(node.name);
      }
      actors.sleep(Duration.ofMillis(random.nextInt(20) == 0 ? 2_000 : random.nextInt(3)));
    }

    private void expectOneActiveForEachKey() {
      Map<String, Task> active = new HashMap<>();
      for (Task task : store.all()) {
        if (task.status() == TaskStatus.ACTIVE && task.definition().key().isPresent()) {
          Task other = active.put(task.definition().key().get(), task);
          assertThat(other).as("another active task with the key of " + task).isNull();
        }
      }
    }

    private void runWhatIsDue() {
      while (true) {
        actors.sleep(Duration.ofMillis(1 + random.nextInt(100)));
        for (Task task : store.all()) {
          Optional<Notice> due =
              Notice.of(task).filter(notice -> !notice.runAt().isAfter(actors.instant()));
          if (task.leases().isEmpty() && due.isPresent()) {
            run(new ClaimRequest(due.get(), "runner", "claim-" + ++claims));
          }
        }
      }
    }

    private void run(ClaimRequest request) {
      if (store.claim(List.of(request), actors.instant(), LEASE).get(0) instanceof Won won) {
        Action.Amqp action = (Action.Amqp) won.task().definition().action();
        String id = action.properties().get(MessageProperty.MESSAGE_ID);
        sent.stream()
            .filter(message -> message.id.equals(id))
            .forEach(message -> message.runs.add(actors.instant()));
        actors.sleep(Duration.ofMillis(random.nextInt(2) * (long) random.nextInt(3_000)));
        boolean recorded = false;
        while (!recorded) {
          Task running = store.find(won.task().id()).orElseThrow();
          Task ended =
              chain.complete(running, won.claim(), new Outcome.Succeeded(), actors.instant());
          recorded = store.exchange(List.of(new Exchange(running, ended))).get(0);
        }
      }
    }

    private void expectEverythingRight() {
      Map<String, Sent> last = new HashMap<>();
      for (Sent message : sent) {
        assertThat(message.ackedAt).as("taken in: " + message).isBefore(Instant.MAX);
        assertThat(message.runs).as("runs of " + message).hasSizeLessThanOrEqualTo(1);
        if (message.key.isEmpty()) {
          assertThat(message.runs).as("runs of " + message).hasSize(1);
        } else {
          Sent before = last.put(message.key.get(), message);
          if (before != null) {
            expectReplaced(before, message);
          }
        }
      }
      for (Sent message : last.values()) {
        assertThat(message.runs)
            .as("runs of %s, with all %s", message, sent)
            .hasSize(message.cancels ? 0 : 1);
      }
      assertThat(store.all()).noneMatch(task -> task.status() == TaskStatus.ACTIVE);
    }

    private static void expectReplaced(Sent before, Sent after) {
      String both = before + " and then " + after;
      assertThat(before.runs).as(both).noneMatch(run -> run.isAfter(after.ackedAt));
      boolean wasDueBefore =
          !before.cancels
              && before.ackedAt.plus(before.delay).plusSeconds(10).isBefore(after.publishedAt);
      if (wasDueBefore) {
        assertThat(before.runs).as(both).hasSize(1);
      }
    }
  }

  /** Queues in which everything is parked. */
  private static final class Parked implements PendingQueues {
    @Override
    public Place placeFor(Arming arming, Instant now) {
      return Tasks.parking(World.LEASE).placeFor(arming, now);
    }

    @Override
    public List<ParkAnswer> park(Collection<Notice> notices) {
      return notices.stream().<ParkAnswer>map(notice -> new ParkAnswer.Parked()).toList();
    }

    @Override
    public void remove(Collection<String> queues) {
      // whoever claims finds that it is of no use
    }

    @Override
    public void close() {
      // there is nothing
    }

    @Override
    public boolean isAvailable() {
      return true;
    }
  }

  /** The keys as a node sees them: before and after each call it may die. */
  private record SteppingKeys(TaskKeys keys, Steps steps) implements TaskKeys {

    @Override
    public Optional<Holder> find(String key) {
      steps.step("before find key");
      return keys.find(key);
    }

    @Override
    public List<Holder> takeFree(Collection<Holder> wanted) {
      steps.step("before take keys");
      List<Holder> holders = keys.takeFree(wanted);
      steps.step("after take keys");
      return holders;
    }

    @Override
    public boolean pass(Holder seen, Holder wanted) {
      steps.step("before pass key");
      boolean passed = keys.pass(seen, wanted);
      steps.step("after pass key");
      return passed;
    }

    @Override
    public void release(Holder seen) {
      steps.step("before release key");
      keys.release(seen);
    }

    @Override
    public List<Holder> scan(String after, int limit) {
      return keys.scan(after, limit);
    }
  }
}
