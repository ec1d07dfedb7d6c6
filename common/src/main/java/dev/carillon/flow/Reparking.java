package dev.carillon.flow;

import dev.carillon.queue.PendingQueues;
import dev.carillon.store.TaskStore;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** What somebody changes in a task, in the store first and then at the broker. Thread-safe. */
final class Reparking {

  private final TaskStore store;
  private final PendingQueues pending;
  private final Parker parker;
  private final Executor soon;

  /**
   * @param soon runs what it is given a few seconds later
   */
  Reparking(Ports ports, Executor soon) {
    this.store = ports.store();
    this.pending = ports.pending();
    this.parker = new Parker(ports);
    this.soon = soon;
  }

  /**
   * Exchanges the task unless somebody was faster. Then the queues of what is not to wait any more
   * are taken away, and what is to wait now is parked; a sweep makes up for either.
   *
   * @return whether it was exchanged
   */
  boolean exchange(Task before, Task after) {
    if (!store.exchange(List.of(new Exchange(before, after))).get(0)) {
      return false;
    }
    List<String> left = new ArrayList<>(queues(before));
    left.removeAll(queues(after));
    if (!left.isEmpty()) {
      pending.remove(left);
      // a worker may have been between storing this arming and parking it
      soon.execute(() -> pending.remove(left));
    }
    if (after.token() != before.token()) {
      parker.park(List.of(after));
    }
    return true;
  }

  private static List<String> queues(Task task) {
    return Stream.concat(task.subTasks().stream(), task.extras().subTasks().stream())
        .flatMap(subTask -> subTask.parked().stream())
        .map(SubTask.Parked::queue)
        .toList();
  }
}
