package dev.carillon.flow;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.SparingLog;
import dev.carillon.queue.GivenUp;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.queue.PendingQueues;
import dev.carillon.store.TaskStore;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Lease;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for tasks whose wake-up time has passed with nothing happening, and puts them right: the
 * one way back from a lost message, a dead worker, a crash between two steps, and the way in for
 * what was too far away to be parked. Any number of processes may sweep. Thread-safe.
 */
public final class Sweep {

  private static final Logger log = LoggerFactory.getLogger(Sweep.class);

  private final SparingLog lostNotices = new SparingLog(log);
  private final SparingLog lostWorkers = new SparingLog(log);
  private final TaskStore store;
  private final PendingQueues pending;
  private final ParkedMessages parked;
  private final Chain chain;
  private final InstantSource clock;
  private final SchedulerMetrics metrics;
  private final int batchSize;
  private final Parker parker;
  private final Line line;

  /** Sub-tasks that were given up, with no word of it put aside yet. */
  private final Queue<GivenUp> givenUp = new ConcurrentLinkedQueue<>();

  /**
   * @param batchSize how many tasks are seen to at a time
   */
  public Sweep(Ports ports, int batchSize) {
    this.store = ports.store();
    this.pending = ports.pending();
    this.parked = ports.parked();
    this.chain = ports.chain();
    this.clock = ports.clock();
    this.metrics = ports.metrics();
    this.batchSize = batchSize;
    this.parker = new Parker(ports);
    this.line = new Line(ports);
  }

  /**
   * One batch, the most urgent first. While notices cannot be parked, nothing is done: what is due
   * then stays due.
   *
   * @return whether there may be more to do at once
   */
  public boolean sweepOnce() {
    if (!pending.isAvailable()) {
      return false;
    }
    Instant now = clock.instant();
    List<Task> overdue = store.overdue(now, batchSize);
    List<Exchange> exchanges = new ArrayList<>();
    for (Task task : overdue) {
      wake(task, now).ifPresent(exchanges::add);
    }
    List<Boolean> exchanged = exchanges.isEmpty() ? List.of() : store.exchange(exchanges);
    List<Task> toPark = new ArrayList<>();
    for (int i = 0; i < exchanged.size(); i++) {
      if (exchanged.get(i)) { // else another sweeper or a late worker was faster
        Task before = exchanges.get(i).before();
        Task after = exchanges.get(i).after();
        report(before, after);
        if (after.token() != before.token() || isNoticeMissing(after)) {
          toPark.add(after);
        }
      }
    }
    parker.park(toPark);
    for (int i = 0; i < exchanged.size(); i++) {
      if (exchanged.get(i)) {
        leaveLine(exchanges.get(i));
      }
    }
    putAside();
    return overdue.size() == batchSize && exchanged.contains(true);
  }

  /** For those whose workers fell silent. */
  private void leaveLine(Exchange exchange) {
    exchange.before().leases().stream()
        .filter(lease -> !exchange.after().isHeldBy(lease.claim()))
        .forEach(lost -> line.leave(exchange.before(), lost.claim()));
  }

  /** One task that cannot be put right must not keep the others from it. */
  private Optional<Exchange> wake(Task task, Instant now) {
    try {
      return Optional.of(new Exchange(task, chain.wake(task, now)));
    } catch (RuntimeException e) {
      log.error("task {} cannot be put right; somebody has to look at it", task.id(), e);
      return Optional.empty();
    }
  }

  private void report(Task before, Task after) {
    before.leases().stream()
        .filter(lease -> !after.isHeldBy(lease.claim()))
        .forEach(lost -> reportLost(before, after, lost));
    boolean isArmed = after.token() != before.token();
    Optional<SubTask> next = after.next();
    if (next.isPresent() && !isArmed && isNoticeMissing(after)) {
      metrics.swept("lost-notice");
      lostNotices.warn(
          "task {}: no sign of sub-task {}, due {}: its notice is lost, or waits in a busy worker; it"
              + " is parked again",
          before.id(),
          next.get().index(),
          next.get().dueAt());
    } else if (next.isPresent() && isArmed && before.leases().isEmpty()) {
      metrics.swept("arm");
      log.debug(
          "task {}: sub-task {} armed for {}", before.id(), next.get().index(), next.get().runAt());
    }
  }

  private void reportLost(Task before, Task after, Lease lost) {
    metrics.swept("lost-worker");
    SubTask run = before.subTask(lost.index()).orElseThrow();
    boolean isGivenUp =
        after.subTask(lost.index()).filter(s -> s.status() == SubTaskStatus.FAILED).isPresent();
    lostWorkers.warn(
        "task {}: worker {} fell silent during attempt {} of sub-task {}; {}",
        before.id(),
        lost.claim().worker(),
        run.attempt(),
        run.index(),
        isGivenUp ? "it is given up" : "it is run again");
    boolean isRoom = givenUp.size() < ParkedMessages.REACH;
    if (isGivenUp && isRoom && after.status() != TaskStatus.CANCELED) {
      givenUp.add(
          new GivenUp(
              before.id(),
              run.index(),
              "%d workers were lost with sub-task %d of task \"%s\", the last was %s; it is FAILED"
                  .formatted(
                      run.lostWorkers() + 1,
                      run.index(),
                      before.definition().name(),
                      lost.claim().worker())));
    }
  }

  /** Somebody else may have been looked after: what waits for its time is parked already. */
  private boolean isNoticeMissing(Task task) {
    return Notice.of(task).filter(notice -> !notice.runAt().isAfter(clock.instant())).isPresent();
  }

  /**
   * The store has it that they failed; here somebody is made to look. What is not taken now is
   * tried again with the next sweep.
   */
  private void putAside() {
    for (int left = givenUp.size(); left > 0; left--) {
      GivenUp next = givenUp.poll();
      if (next != null && parked.park(next) instanceof ParkAnswer.NotParked notParked) {
        log.warn(
            "word of sub-task {} of task {}, which was given up, could not be put aside ({}); the"
                + " next sweep tries again",
            next.index(),
            next.task(),
            notParked.reason());
        givenUp.add(next);
        return;
      }
    }
  }
}
