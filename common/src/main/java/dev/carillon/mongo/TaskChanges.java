package dev.carillon.mongo;

import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Lease;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import java.util.Arrays;
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
    for (Lease ended : exchange.endedAfterTheirTime()) {
      // null matches what is missing as well: a claim of old had no such field
      List<Date> asRead = Arrays.asList(Date.from(ended.until()), null);
      filter.append(
          ClaimsCodec.path(ended.claim(), ClaimsCodec.LEASE_UNTIL), new Document("$in", asRead));
    }
    return filter;
  }

  static Bson update(Exchange exchange) {
    TaskChanges changes = new TaskChanges();
    changes.addState(exchange.before(), exchange.after());
    changes.addClaims(exchange.before(), exchange.after());
    changes.addDefinition(exchange.before(), exchange.after());
    changes.addWindow(exchange.before().subTasks(), exchange.after().subTasks());
    changes.addExtras(exchange.before().extras().subTasks(), exchange.after().extras().subTasks());
    Document update = new Document("$set", changes.set);
    if (!changes.unset.isEmpty()) {
      update.append("$unset", changes.unset);
    }
    return update;
  }

  private void addState(Task taskBefore, Task taskAfter) {
    Document before = TaskCodec.encodeState(taskBefore);
    Document after = TaskCodec.encodeState(taskAfter);
    // written always: what somebody has put off by hand is no new version
    before.remove(TaskCodec.WAKE_AT);
    if (!after.containsKey(TaskCodec.WAKE_AT)) {
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

  /** One by one: of those that go on, the stored leases may be longer than those that were read. */
  private void addClaims(Task before, Task after) {
    List<Lease> ended =
        before.leases().stream().filter(lease -> !after.isHeldBy(lease.claim())).toList();
    List<Lease> begun =
        after.leases().stream().filter(lease -> !before.isHeldBy(lease.claim())).toList();
    begun.forEach(
        lease ->
            set.put(
                ClaimsCodec.CLAIMS + "." + ClaimsCodec.name(lease.claim()),
                ClaimsCodec.encode(lease)));
    if (ended.isEmpty()) {
      return;
    }
    unset.put(ClaimsCodec.SOLE_CLAIM, "");
    if (after.leases().isEmpty()) {
      unset.put(ClaimsCodec.CLAIMS, "");
    } else {
      ended.forEach(
          lease -> unset.put(ClaimsCodec.CLAIMS + "." + ClaimsCodec.name(lease.claim()), ""));
    }
  }

  private void addDefinition(Task before, Task after) {
    if (!before.definition().equals(after.definition())) {
      set.put(TaskCodec.DEFINITION, TaskCodec.encode(after.definition()));
    }
  }

  /** Positions in the array mean the same as long as the window has not moved. */
  private void addWindow(List<SubTask> before, List<SubTask> after) {
    boolean isSame = before.size() == after.size() && before.get(0).index() == after.get(0).index();
    addSubTasks(TaskCodec.SUB_TASKS, isSame, before, after);
  }

  private void addExtras(List<SubTask> before, List<SubTask> after) {
    if (after.isEmpty()) {
      if (!before.isEmpty()) {
        unset.put(ExtrasCodec.EXTRAS, "");
      }
      return;
    }
    boolean isSame =
        before.stream()
            .map(SubTask::index)
            .toList()
            .equals(after.stream().map(SubTask::index).toList());
    addSubTasks(ExtrasCodec.EXTRAS, isSame, before, after);
  }

  private void addSubTasks(
      String field, boolean haveSamePlaces, List<SubTask> before, List<SubTask> after) {
    if (!haveSamePlaces) {
      set.put(field, TaskCodec.encode(after));
      return;
    }
    for (int i = 0; i < after.size(); i++) {
      if (!after.get(i).equals(before.get(i))) {
        set.put(field + "." + i, SubTaskCodec.encode(after.get(i)));
      }
    }
  }
}
