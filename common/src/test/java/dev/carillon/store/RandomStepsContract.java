package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.Notice;
import dev.carillon.store.ClaimAnswer.Open;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Backfill;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Takes the same steps on the store and on the one in memory, and compares all there is. */
public abstract class RandomStepsContract extends StoreContract {

  private static final int RUNS = Integer.getInteger("store.runs", 20);
  private static final long SEED = Long.getLong("store.seed", System.nanoTime());
  private static final int STEPS = 120;

  private Random random;
  private Instant now;
  private TaskStore model;
  private List<Task> known;
  private List<Notice> notices;
  private List<Claim> claims;
  private List<ClaimRequest> requests;

  @Test
  void behavesLikeTheStoreInMemory() throws Exception {
    System.out.printf("store: %d runs from seed %d (-Dstore.seed=%2$d)%n", RUNS, SEED);
    for (int run = 0; run < RUNS; run++) {
      closeStore();
      openStore();
      try {
        takeSteps(SEED + run);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dstore.runs=1 -Dstore.seed=" + (SEED + run), e);
      }
    }
  }

  private void takeSteps(long seed) {
    random = new Random(seed);
    now = START;
    model = new MemoryTaskStore(InstantSource.system());
    known = new ArrayList<>();
    notices = new ArrayList<>();
    claims = new ArrayList<>();
    requests = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      insert();
    }
    for (int i = 0; i < STEPS; i++) {
      now = now.plusMillis(random.nextInt(20_000));
      step();
    }
    compareAll();
  }

  private void step() {
    switch (random.nextInt(12)) {
      case 0 -> insertAgain();
      case 1, 2, 3, 4 -> claimSome();
      case 5, 6, 7, 8 -> exchangeSome();
      case 9 -> extendSome();
      case 10 -> sweep();
      default -> compareOne();
    }
  }

  private void insert() {
    Map<String, Object> fields =
        new HashMap<>(
            random.nextBoolean()
                ? Map.of("interval", "PT20S", "tags", List.of("t"))
                : Map.of("interval", "PT7S", "maxRuns", 1 + random.nextInt(12), "jitter", "PT3S"));
    fields.put("startTime", START.minusSeconds(200).toString());
    fields.put("overlap", pick(List.of("wait", "skip", "allow")));
    TaskId id = TaskId.create(START.plusMillis(known.size()), random);
    Task task = smallChain.create(id, definition(fields), now).orElseThrow();
    model.insert(task);
    store.insert(task);
    remember(task);
  }

  private void insertAgain() {
    Task task = pick(known);
    model.insert(task);
    store.insert(task);
  }

  private void claimSome() {
    Set<ClaimRequest> some = new LinkedHashSet<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      some.add(
          random.nextInt(5) == 0 && !requests.isEmpty()
              ? pick(requests)
              : request(random.nextInt(4) == 0 ? pick(notices) : latestNotice()));
    }
    // of two requests for one sub-task in a batch either may win: not the same in both stores
    List<ClaimRequest> batch = new ArrayList<>();
    for (ClaimRequest request : some) {
      if (batch.stream().noneMatch(r -> r.notice().task().equals(request.notice().task()))) {
        batch.add(request);
      }
    }
    Instant latest = batch.stream().map(r -> r.notice().runAt()).max(Instant::compareTo).get();
    now = latest.isAfter(now) ? latest : now;
    List<ClaimAnswer> expected = model.claim(batch, now, LEASE);
    assertThat(store.claim(batch, now, LEASE)).isEqualTo(expected);
    requests.addAll(batch);
    for (ClaimAnswer answer : expected) {
      if (answer instanceof Won won) {
        claims.add(won.claim());
        remember(won.task());
      } else if (answer instanceof Open open) {
        begin(open.task(), batch);
      }
    }
  }

  private void begin(Task task, List<ClaimRequest> batch) {
    Claim claim =
        batch.stream()
            .map(ClaimRequest::claim)
            .filter(c -> c.task().equals(task.id()))
            .findFirst()
            .orElseThrow();
    Task begun = smallChain.begin(task, claim, now, now.plus(LEASE));
    List<Exchange> exchange = List.of(new Exchange(task, begun));
    assertThat(store.exchange(exchange)).isEqualTo(model.exchange(exchange)).containsExactly(true);
    claims.add(claim);
    remember(begun);
  }

  private Notice latestNotice() {
    return Notice.of(model.find(pick(known).id()).orElseThrow()).orElseGet(() -> pick(notices));
  }

  private void exchangeSome() {
    Map<Object, Exchange> batch = new LinkedHashMap<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      boolean stale = random.nextInt(4) == 0;
      Task seen = pick(known);
      Task before = stale ? seen : model.find(seen.id()).orElseThrow();
      next(before).ifPresent(after -> batch.put(before.id(), new Exchange(before, after)));
    }
    List<Exchange> exchanges = List.copyOf(batch.values());
    List<Boolean> expected = model.exchange(exchanges);
    assertThat(store.exchange(exchanges)).isEqualTo(expected);
    for (int i = 0; i < exchanges.size(); i++) {
      if (expected.get(i)) {
        remember(exchanges.get(i).after());
      }
    }
  }

  /** Something that may happen to a task that looks like this. */
  private Optional<Task> next(Task task) {
    if (random.nextInt(4) == 0 && !task.status().isFinal()) {
      return Optional.of(meddled(task));
    }
    if (!task.leases().isEmpty()) {
      return Optional.of(
          switch (random.nextInt(8)) {
            case 0 -> smallChain.wake(task, now);
            case 1 -> task.status().isFinal() ? complete(task) : smallChain.cancel(task, now);
            default -> complete(task);
          });
    }
    if (task.status() != TaskStatus.ACTIVE) {
      return task.status() == TaskStatus.PAUSED
          ? Optional.of(withStatus(task, TaskStatus.ACTIVE))
          : Optional.empty();
    }
    return Optional.of(
        switch (random.nextInt(12)) {
          case 0 -> smallChain.cancel(task, now);
          case 1 -> withStatus(task, TaskStatus.PAUSED);
          case 2, 3 ->
              edited(
                  task,
                  definition(Map.of("interval", "PT20S", "name", "edited " + task.version())),
                  TaskStatus.ACTIVE,
                  task.subTasks());
          case 4, 5, 6 -> smallChain.unpark(task, now);
          default -> smallChain.wake(task, now);
        });
  }

  /** What somebody may do to a task that is not final. */
  private Task meddled(Task task) {
    List<SubTask> all = model.subTasks(task.id(), everything());
    return switch (random.nextInt(4)) {
      case 0 -> smallChain.trigger(task, now);
      case 1 -> {
        Instant from = START.minusSeconds(random.nextInt(200));
        yield task.extras().backfills().size() < Chain.MOST_BACKFILLS
            ? smallChain.backfill(task, Backfill.of(from, from.plusSeconds(30)), now)
            : smallChain.wake(task, now);
      }
      case 2 ->
          all.stream()
              .filter(subTask -> subTask.status() == SubTaskStatus.FAILED)
              .filter(failed -> task.subTask(failed.index()).map(failed::equals).orElse(true))
              .findFirst()
              .map(failed -> smallChain.retry(task, failed, now))
              .orElseGet(() -> smallChain.wake(task, now));
      default ->
          all.stream()
              .map(SubTask::index)
              .flatMap(index -> task.subTask(index).stream())
              .filter(subTask -> subTask.status().isWaiting())
              .skip(random.nextInt(3))
              .findFirst()
              .flatMap(waiting -> smallChain.cancelOne(task, waiting.index(), now))
              .orElseGet(() -> smallChain.wake(task, now));
    };
  }

  private static SubTaskQuery everything() {
    return new SubTaskQuery(Optional.empty(), Long.MIN_VALUE, 10_000);
  }

  private Task complete(Task task) {
    Outcome outcome =
        switch (random.nextInt(5)) {
          case 0 -> new Outcome.Failed("by chance", random.nextBoolean());
          case 1 -> new Outcome.HandedBack();
          default -> new Outcome.Succeeded();
        };
    Claim claim = pick(task.leases()).claim();
    return smallChain.complete(task, claim, outcome, now);
  }

  private void extendSome() {
    if (claims.isEmpty()) {
      return;
    }
    List<Claim> some = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      some.add(random.nextBoolean() ? claims.get(claims.size() - 1) : pick(claims));
    }
    Instant until = now.plus(Duration.ofSeconds(random.nextInt(60)));
    assertThat(store.extend(some, until)).isEqualTo(model.extend(some, until));
  }

  private void sweep() {
    List<Task> overdue = model.overdue(now, 100);
    // those that are equally urgent come in any order
    assertThat(store.overdue(now, 100)).containsExactlyInAnyOrderElementsOf(overdue);
    assertThat(store.overdue(now, 100))
        .isSortedAccordingTo(Comparator.comparing(task -> task.wakeAt().orElseThrow()));
    List<Exchange> exchanges =
        overdue.stream().map(task -> new Exchange(task, smallChain.wake(task, now))).toList();
    assertThat(store.exchange(exchanges)).isEqualTo(model.exchange(exchanges));
    exchanges.forEach(exchange -> remember(exchange.after()));
  }

  private void remember(Task task) {
    known.add(task);
    Notice.of(task).ifPresent(notices::add);
  }

  private void compareOne() {
    Task task = pick(known);
    assertThat(store.find(task.id())).isEqualTo(model.find(task.id()));
    Optional<SubTaskStatus> status =
        random.nextBoolean()
            ? Optional.empty()
            : Optional.of(pick(List.of(SubTaskStatus.values())));
    SubTaskQuery query = new SubTaskQuery(status, random.nextInt(20) - 5, 1 + random.nextInt(10));
    assertThat(store.subTasks(task.id(), query)).isEqualTo(model.subTasks(task.id(), query));
  }

  private void compareAll() {
    SubTaskQuery all = everything();
    for (Task task : known) {
      assertThat(store.find(task.id())).isEqualTo(model.find(task.id()));
      assertThat(store.subTasks(task.id(), all)).isEqualTo(model.subTasks(task.id(), all));
    }
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
