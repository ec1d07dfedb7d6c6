package dev.carillon.store;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.form.Form;
import dev.carillon.queue.Notice;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.Parking;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of a store need: an empty store, tasks to put into it, steps to take. */
public abstract class StoreContract {

  protected static final Instant START = Instant.parse("2027-01-04T08:00:00Z");
  protected static final Duration LEASE = Duration.ofSeconds(30);

  private static final Parking PARKING = Tasks.parking(Duration.ofHours(24));

  protected final Chain chain = new Chain(PARKING, Chain.Settings.DEFAULT);

  /** Shifts the window every other time. */
  protected final Chain smallChain =
      new Chain(PARKING, new Chain.Settings(Duration.ofSeconds(5), 6, 1, 3));

  private final Random ids = new Random(7);
  private int counted;

  protected TaskStore store;

  /** A new store with nothing in it. It is closed after the test if it can be. */
  protected abstract TaskStore open();

  @BeforeEach
  final void openStore() {
    store = open();
  }

  @AfterEach
  final void closeStore() throws Exception {
    if (store instanceof AutoCloseable closeable) {
      closeable.close();
    }
  }

  /** Every minute, with what is given besides. */
  protected static TaskDefinition definition(Map<String, ?> fields) {
    Map<String, Object> form = new LinkedHashMap<>();
    form.put("name", "water the plants");
    form.put("interval", 1);
    form.putAll(fields);
    Form read = Form.of(form);
    return DefinitionReader.readNew(read, START)
        .orElseThrow(() -> new IllegalArgumentException(read.problems().toString()));
  }

  /** Each later in the order of ids than the one before. */
  protected TaskId nextId() {
    return TaskId.create(START.plusMillis(++counted), ids);
  }

  protected Task create(Map<String, ?> fields) {
    return create(chain, fields);
  }

  protected Task create(Chain by, Map<String, ?> fields) {
    return by.create(nextId(), definition(fields), START).orElseThrow();
  }

  protected Task inserted() {
    return inserted(Map.of());
  }

  protected Task inserted(Map<String, ?> fields) {
    return inserted(create(fields));
  }

  protected Task inserted(Task task) {
    store.insert(task);
    return task;
  }

  protected static Notice notice(Task task) {
    return Notice.of(task).orElseThrow();
  }

  /** A wish to run what the task waits for, with a claim id of its own. */
  protected ClaimRequest request(Task task) {
    return request(notice(task));
  }

  protected ClaimRequest request(Notice notice) {
    return new ClaimRequest(notice, "worker-1", "worker-1/" + ++counted);
  }

  protected static Instant dueAt(Task task) {
    return task.live().orElseThrow().runAt();
  }

  protected ClaimAnswer claim(ClaimRequest request, Instant now) {
    return store.claim(List.of(request), now, LEASE).get(0);
  }

  /** The task as claimed at the time when it is due. */
  protected Task started(Task task) {
    return ((Won) claim(request(task), dueAt(task))).task();
  }

  protected static Claim claimOf(Task task) {
    return task.claim().orElseThrow();
  }

  protected boolean exchange(Task before, Task after) {
    return store.exchange(List.of(new Exchange(before, after))).get(0);
  }

  protected Task exchanged(Task before, Task after) {
    if (!exchange(before, after)) {
      throw new AssertionError("not exchanged for " + after);
    }
    return after;
  }

  /** The task after the next firing, which succeeds at once. */
  protected Task fired(Chain by, Task task) {
    Task started = started(task);
    return exchanged(started, by.complete(started, new Outcome.Succeeded(), dueAt(task)));
  }

  protected Task stored(Task task) {
    return store.find(task.id()).orElseThrow();
  }

  protected List<SubTask> subTasks(Task task) {
    return store.subTasks(task.id(), new SubTaskQuery(Optional.empty(), 0, 10_000));
  }

  /** The next version, made by somebody else than the chain. */
  protected static Task edited(
      Task task, TaskDefinition definition, TaskStatus status, List<SubTask> subTasks) {
    return new Task(
        task.id(),
        definition,
        task.revision() + 1,
        status,
        task.createdAt(),
        task.updatedAt().plusMillis(1),
        task.version() + 1,
        task.token(),
        task.leases(),
        Math.max(task.cursor(), subTasks.get(0).index()),
        subTasks,
        task.extras(),
        task.tally(),
        task.busy(),
        task.inLineSince(),
        task.wakeAt());
  }

  protected static Task withStatus(Task task, TaskStatus status) {
    return edited(task, task.definition(), status, task.subTasks());
  }
}
