package dev.carillon.mongo;

import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import java.util.Date;
import java.util.List;
import org.bson.Document;
import org.bson.conversions.Bson;

/** An exchange as an update that writes nothing but the differences. */
final class TaskChanges {

  private final Document set = new Document();
  private final Document unset = new Document();

  private TaskChanges() {}

  /**
   * Matches the task as long as nobody has changed it. Extending a lease is no new version; but
   * whoever found that a lease has ended must not end it if it was extended after all.
   */
  static Bson filter(Exchange exchange) {
    Task before = exchange.before();
    Document filter =
        new Document(TaskCodec.ID, before.id().value()).append(TaskCodec.VERSION, before.version());
    if (exchange.isAfterLease()) {
      filter.append(TaskCodec.WAKE_AT, Date.from(before.wakeAt().orElseThrow()));
    }
    return filter;
  }

  static Bson update(Exchange exchange) {
    TaskChanges changes = new TaskChanges();
    changes.addState(exchange);
    changes.addDefinition(exchange.before(), exchange.after());
    changes.addSubTasks(exchange.before().subTasks(), exchange.after().subTasks());
    Document update = new Document("$set", changes.set);
    if (!changes.unset.isEmpty()) {
      update.append("$unset", changes.unset);
    }
    return update;
  }

  private void addState(Exchange exchange) {
    Document before = TaskCodec.encodeState(exchange.before());
    Document after = TaskCodec.encodeState(exchange.after());
    // the stored one may differ from that of the task that was read: extending is no new version
    before.remove(TaskCodec.WAKE_AT);
    if (exchange.keepsClaim()) {
      after.remove(TaskCodec.WAKE_AT);
    } else if (!after.containsKey(TaskCodec.WAKE_AT)) {
      unset.put(TaskCodec.WAKE_AT, "");
    }
    after.forEach(
        (field, value) -> {
          if (!value.equals(before.get(field))) {
            set.put(field, value);
          }
        });
    before.keySet().stream()
        .filter(field -> !after.containsKey(field))
        .forEach(field -> unset.put(field, ""));
  }

  private void addDefinition(Task before, Task after) {
    if (!before.definition().equals(after.definition())) {
      set.put(TaskCodec.DEFINITION, TaskCodec.encode(after.definition()));
    }
  }

  /** Positions in the array mean the same as long as the window has not moved. */
  private void addSubTasks(List<SubTask> before, List<SubTask> after) {
    boolean sameWindow =
        before.size() == after.size() && before.get(0).index() == after.get(0).index();
    if (!sameWindow) {
      set.put(TaskCodec.SUB_TASKS, TaskCodec.encode(after));
      return;
    }
    for (int i = 0; i < after.size(); i++) {
      if (!after.get(i).equals(before.get(i))) {
        set.put(TaskCodec.SUB_TASKS + "." + i, SubTaskCodec.encode(after.get(i)));
      }
    }
  }
}
