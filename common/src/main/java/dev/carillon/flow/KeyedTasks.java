package dev.carillon.flow;

import dev.carillon.flow.TaskLifecycle.CancelAnswer;
import dev.carillon.flow.TaskLifecycle.ReplaceAnswer;
import dev.carillon.store.TaskKeys;
import dev.carillon.store.TaskKeys.Holder;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Action;
import dev.carillon.task.MessageProperty;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Tasks under keys that their publishers have chosen: at most one active task has a key.
 *
 * <p>A key is first held for the id of a task, then the task is inserted under it. Whoever finds a
 * key held for a task that is not there inserts their own under that very id, so it does not matter
 * whether somebody died in between or is just about to insert: one of them does, and the other
 * finds the task there. Thread-safe.
 */
public final class KeyedTasks {

  /**
   * How long a key is held for a task that is not there. Nobody takes so long to insert it: it was
   * removed at the end of its retention, and its id must not come to life again.
   */
  static final Duration ABANDONED_AFTER = Duration.ofHours(1);

  /** What became of a wish to have a task under a key. */
  public sealed interface PutAnswer {

    /** There was none; now there is this one. */
    record Created(Task task) implements PutAnswer {}

    /** The task that was waiting under the key is this one now. */
    record Replaced(Task task) implements PutAnswer {}

    /** This very task has been created already, and may have ended since. */
    record Repeated(Task task) implements PutAnswer {}

    /** Another task has the key. */
    record Taken(TaskId holder) implements PutAnswer {}

    /** The schedule has no instant left. */
    record NoInstantLeft() implements PutAnswer {}
  }

  private final TaskLifecycle lifecycle;
  private final TaskStore store;
  private final TaskKeys keys;
  private final InstantSource clock;

  /**
   * @param ports also those of the life cycle
   */
  public KeyedTasks(TaskLifecycle lifecycle, Ports ports) {
    this.lifecycle = lifecycle;
    this.store = ports.store();
    this.keys = ports.keys();
    this.clock = ports.clock();
  }

  /** What a task is wanted to be, under a key. */
  public record Wish(
      TaskId id, TaskDefinition definition, Instant asOf, Optional<String> messageId) {

    /**
     * @param id what the task is called if it is new; one that names the wish makes it repeatable
     * @param definition with a key
     * @param asOf the present for which it is planned
     * @param messageId of the message that the wish came by; a task that publishes that very
     *     message is this wish come true
     */
    public Wish {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(asOf, "asOf");
      Objects.requireNonNull(messageId, "messageId");
      if (definition.key().isEmpty()) {
        throw new IllegalArgumentException("the definition has no key");
      }
    }

    String key() {
      return definition.key().orElseThrow();
    }

    /** Whether the task has come from this wish, whatever has become of it since. */
    boolean isFulfilledBy(Task task) {
      return task.id().equals(id)
          || (messageId.isPresent() && messageId.equals(publishedBy(task.definition().action())));
    }

    private static Optional<String> publishedBy(Action action) {
      return action instanceof Action.Amqp amqp
          ? Optional.ofNullable(amqp.properties().get(MessageProperty.MESSAGE_ID))
          : Optional.empty();
    }
  }

  /** Creates a task with an id of its own, unless an active one has its key. */
  public PutAnswer create(Wish wish) {
    PutAnswer answer = put(wish, false);
    // nobody knows the id but those who look at the key: somebody else has put theirs under it
    return answer instanceof PutAnswer.Repeated repeated
        ? new PutAnswer.Taken(repeated.task().id())
        : answer;
  }

  /**
   * Creates a task, or has the one that waits under its key replaced in one step. One that has
   * begun already goes on to the end of its attempt and no further; the new one is another task
   * then.
   */
  public PutAnswer put(Wish wish) {
    return put(wish, true);
  }

  /**
   * {@link #put} for many with different keys, in few steps for those whose keys are free.
   *
   * @return an answer for each, in their order
   */
  public List<PutAnswer> putAll(List<Wish> wishes) {
    List<Holder> holders = keys.takeFree(wishes.stream().map(this::holder).toList());
    Map<TaskId, Task> there = store.findAll(holders.stream().map(Holder::task).toList());
    List<Task> planned = new ArrayList<>();
    for (int i = 0; i < wishes.size(); i++) {
      Wish wish = wishes.get(i);
      if (holders.get(i).task().equals(wish.id()) && !there.containsKey(wish.id())) {
        lifecycle.plan(wish.id(), wish.definition(), wish.asOf()).ifPresent(planned::add);
      }
    }
    List<Boolean> inserted = lifecycle.insertAll(planned);
    Map<TaskId, Task> created = new HashMap<>();
    for (int i = 0; i < planned.size(); i++) {
      if (inserted.get(i)) {
        created.put(planned.get(i).id(), planned.get(i));
      }
    }
    return wishes.stream()
        .map(
            wish ->
                created.containsKey(wish.id())
                    ? new PutAnswer.Created(created.get(wish.id()))
                    : put(wish))
        .toList();
  }

  private Holder holder(Wish wish) {
    return new Holder(wish.key(), wish.id(), clock.instant());
  }

  private PutAnswer put(Wish wish, boolean replaces) {
    if (lifecycle.plan(wish.id(), wish.definition(), wish.asOf()).isEmpty()) {
      return new PutAnswer.NoInstantLeft(); // before the key is taken
    }
    while (true) {
      Holder mine = holder(wish);
      Holder holder = keys.takeFree(List.of(mine)).get(0);
      Optional<PutAnswer> answer = putUnder(holder, mine, wish, replaces);
      if (answer.isPresent()) {
        return answer.get();
      } // else somebody was faster
    }
  }

  /** Empty when things have changed meanwhile. */
  private Optional<PutAnswer> putUnder(Holder holder, Holder mine, Wish wish, boolean replaces) {
    Optional<Task> found = store.find(holder.task());
    if (found.isEmpty()) {
      return insertUnder(holder, mine, wish);
    }
    Task task = found.get();
    if (wish.isFulfilledBy(task)) {
      return Optional.of(new PutAnswer.Repeated(task));
    }
    if (task.status().isFinal()) {
      passOn(holder, mine);
      return Optional.empty();
    }
    return replaces ? replace(task, wish) : Optional.of(new PutAnswer.Taken(task.id()));
  }

  private Optional<PutAnswer> insertUnder(Holder holder, Holder mine, Wish wish) {
    boolean isAbandoned = holder.takenAt().plus(ABANDONED_AFTER).isBefore(clock.instant());
    if (isAbandoned && !holder.task().equals(mine.task())) {
      passOn(holder, mine);
      return Optional.empty();
    }
    Task planned =
        lifecycle.plan(holder.task(), wish.definition(), wish.asOf()).orElseThrow(); // as above
    return lifecycle.insertAll(List.of(planned)).get(0)
        ? Optional.of(new PutAnswer.Created(planned))
        : Optional.empty();
  }

  /** Whether it succeeds or not, whoever goes on looks at the key anew. */
  private void passOn(Holder holder, Holder mine) {
    keys.pass(holder, mine);
  }

  private Optional<PutAnswer> replace(Task task, Wish wish) {
    ReplaceAnswer answer = lifecycle.replace(task.id(), wish.definition());
    if (answer instanceof ReplaceAnswer.Replaced replaced) {
      return Optional.of(new PutAnswer.Replaced(replaced.task()));
    }
    if (answer instanceof ReplaceAnswer.Begun) {
      CancelAnswer unused = lifecycle.cancel(task.id()); // its key is free then
    }
    return Optional.empty();
  }

  /** The task that has the key, or had it last. */
  public Optional<Task> find(String key) {
    return keys.find(key).flatMap(holder -> store.find(holder.task()));
  }

  /** Calls off the task that has the key. */
  public CancelAnswer cancel(String key) {
    return keys.find(key)
        .map(holder -> lifecycle.cancel(holder.task()))
        .orElse(CancelAnswer.UNKNOWN);
  }
}
