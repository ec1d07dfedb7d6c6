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
      TaskId id, TaskDefinition definition, Instant asOf, Optional<Message> message) {

    /**
     * @param id what the task is called if it is new; one that names the wish makes it repeatable
     * @param definition with a key
     * @param asOf the present for which it is planned
     * @param message that the wish came by
     */
    public Wish {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(asOf, "asOf");
      Objects.requireNonNull(message, "message");
      if (definition.key().isEmpty()) {
        throw new IllegalArgumentException("the definition has no key");
      }
    }

    String key() {
      return definition.key().orElseThrow();
    }

    /** Whether it has come before: what has come after it may have been dealt with already. */
    private boolean isRepeated() {
      return message.filter(Message::isRepeated).isPresent();
    }

    /** Whether the task has come from this wish, whatever has become of it since. */
    private boolean isFulfilledBy(Task task) {
      return task.id().equals(id) || publishes(task.definition().action());
    }

    private boolean publishes(Action action) {
      return message.flatMap(Message::id).isPresent()
          && action instanceof Action.Amqp amqp
          && message
              .flatMap(Message::id)
              .equals(Optional.ofNullable(amqp.properties().get(MessageProperty.MESSAGE_ID)));
    }
  }

  /**
   * A message by which a wish came. Their order is that of the ids of their tasks.
   *
   * @param id by which it is known again; empty when it is not
   * @param isRepeated whether it has come before
   */
  public record Message(Optional<String> id, boolean isRepeated) {}

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
   *
   * <p>A wish that came by a message always gets a task of its own, and the one before it is
   * canceled: by its task, a message that comes again is known for good, and as it is brought again
   * until it has been dealt with, nothing is lost in between.
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
    List<Wish> fresh = wishes.stream().filter(wish -> !wish.isRepeated()).toList();
    List<Holder> holders = keys.takeFree(fresh.stream().map(this::holder).toList());
    Map<TaskId, Task> there = store.findAll(holders.stream().map(Holder::task).toList());
    List<Task> planned = new ArrayList<>();
    for (int i = 0; i < fresh.size(); i++) {
      Wish wish = fresh.get(i);
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
    if (wish.isRepeated()) { // others may have had the key since
      Optional<Task> own = store.find(wish.id());
      if (own.isPresent()) {
        return new PutAnswer.Repeated(own.get());
      }
    }
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
    boolean isOvertaken = wish.isRepeated() && isLater(holder, wish.id());
    if (wish.isFulfilledBy(task) || isOvertaken) {
      return Optional.of(new PutAnswer.Repeated(task));
    }
    if (task.status().isFinal()) {
      passOn(holder, mine);
      return Optional.empty();
    }
    if (!replaces) {
      return Optional.of(new PutAnswer.Taken(task.id()));
    }
    return wish.message().isPresent() ? takeOver(task) : replace(task, wish);
  }

  private static boolean isLater(Holder holder, TaskId id) {
    return holder.task().compareTo(id) > 0;
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
    return answer instanceof ReplaceAnswer.Begun ? takeOver(task) : Optional.empty();
  }

  /** Whoever goes on finds that the task has ended, and takes the key. */
  private Optional<PutAnswer> takeOver(Task task) {
    CancelAnswer unused = lifecycle.cancel(task.id());
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

  /**
   * {@link #cancel(String)} by a message that has come before: what has come after it stays.
   *
   * @param id that a task of the message would have
   */
  CancelAnswer cancelAgain(String key, TaskId id) {
    return keys.find(key)
        .filter(holder -> !isLater(holder, id))
        .map(holder -> lifecycle.cancel(holder.task()))
        .orElse(CancelAnswer.UNKNOWN);
  }
}
