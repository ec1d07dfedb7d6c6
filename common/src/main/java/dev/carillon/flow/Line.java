package dev.carillon.flow;

import dev.carillon.ops.OutageLog;
import dev.carillon.store.Permits.Permit;
import dev.carillon.store.TaskStore;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Concurrency;
import dev.carillon.task.Task;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where sub-tasks wait in the store whose concurrency key is used as often as may be, and who lets
 * them in: whoever gives a permit back wakes those that have waited longest. One that is not woken,
 * since a process died in between, wakes by itself after a while. Thread-safe.
 */
final class Line {

  private static final Logger log = LoggerFactory.getLogger(Line.class);

  /** How many are woken at a time, if there is room for more than one. */
  private static final int MOST_WOKEN = 10;

  /** In case some at the head of the line cannot be put right. */
  private static final int SPARE = 5;

  private final OutageLog moving = new OutageLog(log, "let in what waits for its concurrency key");
  private final TaskStore store;
  private final Chain chain;
  private final InstantSource clock;
  private final Parker parker;

  Line(Ports ports) {
    this.store = ports.store();
    this.chain = ports.chain();
    this.clock = ports.clock();
    this.parker = new Parker(ports);
  }

  /** Whether the claim may start a run of the task: there is no limit, or its permit is taken. */
  boolean mayStart(Task task, Claim claim, Instant now, Instant until) {
    Optional<Concurrency> shared = task.definition().concurrency();
    return shared.isEmpty()
        || store.take(new Permit(shared.get().key(), claim), shared.get().limit(), now, until);
  }

  /**
   * Has a task wait whose next sub-task may not start.
   *
   * @return whether it does; if not, somebody was faster
   */
  boolean join(Task task, Instant now) {
    boolean waits = store.exchange(List.of(new Exchange(task, chain.waitInLine(task, now)))).get(0);
    if (waits) {
      // the last permit may have been given back just before there was somebody to be woken
      move(task.definition().concurrency().orElseThrow());
    }
    return waits;
  }

  /** The run of a task under the claim has ended, or will not begin. */
  void leave(Task task, Claim claim) {
    task.definition()
        .concurrency()
        .ifPresent(
            shared -> {
              try {
                store.giveBack(new Permit(shared.key(), claim));
              } catch (RuntimeException e) {
                moving.failed(e); // it ends with its lease
                return;
              }
              move(shared);
            });
  }

  /** Lets in as many as there is room for. */
  void move(Concurrency shared) {
    try {
      Instant now = clock.instant();
      int room = Math.min(MOST_WOKEN, shared.limit() - store.held(shared.key(), now));
      if (room > 0) {
        wake(store.inLine(shared.key(), room + SPARE), room, now);
      }
      moving.succeeded();
    } catch (RuntimeException e) {
      moving.failed(e);
    }
  }

  private void wake(List<Task> waiting, int room, Instant now) {
    List<Exchange> exchanges = new ArrayList<>();
    for (Task task : waiting) {
      if (exchanges.size() < room) {
        woken(task, now).ifPresent(exchanges::add);
      }
    }
    if (exchanges.isEmpty()) {
      return;
    }
    List<Boolean> exchanged = store.exchange(exchanges);
    List<Task> armed = new ArrayList<>();
    for (int i = 0; i < exchanged.size(); i++) {
      if (exchanged.get(i)) { // else somebody else has woken it
        armed.add(exchanges.get(i).after());
      }
    }
    parker.park(armed);
  }

  /** One task that cannot be put right must not keep the others from it. */
  private Optional<Exchange> woken(Task task, Instant now) {
    try {
      return Optional.of(new Exchange(task, chain.wake(task, now)));
    } catch (RuntimeException e) {
      log.error("task {} cannot be put right; somebody has to look at it", task.id(), e);
      return Optional.empty();
    }
  }
}
