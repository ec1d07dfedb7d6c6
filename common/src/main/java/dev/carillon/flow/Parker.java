package dev.carillon.flow;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.SparingLog;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import dev.carillon.store.TaskStore;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Task;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parks what tasks wait for. Thread-safe. */
final class Parker {

  private static final Logger log = LoggerFactory.getLogger(Parker.class);

  private final SparingLog notParkedLog = new SparingLog(log);
  private final TaskStore store;
  private final PendingQueues pending;
  private final Chain chain;
  private final InstantSource clock;
  private final SchedulerMetrics metrics;

  Parker(Ports ports) {
    this.store = ports.store();
    this.pending = ports.pending();
    this.chain = ports.chain();
    this.clock = ports.clock();
    this.metrics = ports.metrics();
  }

  /**
   * Parks the notice that each of the tasks, as stored, should have waiting. What cannot be parked
   * is marked in the store, for the next sweep; if even that fails, the task's wake-up time, which
   * was stored before, brings a sweep as well.
   */
  void park(List<Task> tasks) {
    List<Task> waiting = new ArrayList<>();
    List<Notice> notices = new ArrayList<>();
    for (Task task : tasks) {
      Notice.of(task)
          .ifPresent(
              notice -> {
                waiting.add(task);
                notices.add(notice);
              });
    }
    if (notices.isEmpty()) {
      return;
    }
    List<ParkAnswer> answers = pending.park(notices);
    List<Exchange> unparked = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) instanceof ParkAnswer.NotParked notParked) {
        metrics.notParked();
        notParkedLog.warn(
            "sub-task {} of task {} could not be parked ({}); a sweep will park it",
            notices.get(i).index(),
            notices.get(i).task(),
            notParked.reason());
        Task task = waiting.get(i);
        unparked.add(new Exchange(task, chain.unpark(task, clock.instant())));
      }
    }
    if (!unparked.isEmpty()) {
      try {
        store.exchange(unparked);
      } catch (RuntimeException e) {
        log.warn("{} sub-tasks stay marked as parked until their grace ends", unparked.size(), e);
      }
    }
  }
}
