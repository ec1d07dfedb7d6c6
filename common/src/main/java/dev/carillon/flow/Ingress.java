package dev.carillon.flow;

import dev.carillon.flow.KeyedTasks.Message;
import dev.carillon.flow.KeyedTasks.PutAnswer;
import dev.carillon.flow.KeyedTasks.Wish;
import dev.carillon.flow.MessageWish.Cancel;
import dev.carillon.flow.MessageWish.Deliver;
import dev.carillon.flow.MessageWish.Unreadable;
import dev.carillon.flow.TaskLifecycle.CancelAnswer;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.SparingLog;
import dev.carillon.queue.IncomingMessage;
import dev.carillon.queue.IncomingMessages;
import dev.carillon.queue.Outlet;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.TaskStore;
import dev.carillon.task.Action;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes tasks of messages that publishers want delivered later. What is not to wait goes through;
 * if that fails, it becomes a task as well, which is tried again and shown.
 *
 * <p>A message with a message id is known again for as long as an idempotency key is: however often
 * it is brought, there is one task, even when that has come to its end. One without is as many
 * tasks as it is brought times. Thread-safe.
 */
public final class Ingress implements IncomingMessages {

  private static final Logger log = LoggerFactory.getLogger(Ingress.class);

  private final SparingLog refusals = new SparingLog(log);
  private final TaskLifecycle lifecycle;
  private final KeyedTasks keyed;
  private final TaskStore store;
  private final InstantSource clock;
  private final SchedulerMetrics metrics;
  private final Outlet outlet;
  private final RandomGenerator random;
  private final Predicate<RuntimeException> isEverybodys;

  /**
   * @param ports also those of the life cycle
   * @param random for new ids; thread-safe
   * @param isEverybodys whether a failure has nothing to do with the messages, and will pass
   */
  public Ingress(
      TaskLifecycle lifecycle,
      Ports ports,
      Outlet outlet,
      RandomGenerator random,
      Predicate<RuntimeException> isEverybodys) {
    this.lifecycle = lifecycle;
    this.keyed = new KeyedTasks(lifecycle, ports);
    this.store = ports.store();
    this.clock = ports.clock();
    this.metrics = ports.metrics();
    this.outlet = outlet;
    this.random = random;
    this.isEverybodys = isEverybodys;
  }

  /** A message with what it is for. */
  private record Order<W extends MessageWish>(IncomingMessage message, W wish) {

    void take() {
      message.take();
    }
  }

  /**
   * An order that has been written down, so that it is known if it comes again.
   *
   * @param id of the task that it is to be
   * @param asOf when it came in, as it was if it has come before
   */
  private record Known<W extends MessageWish>(
      Order<W> order, TaskId id, Instant asOf, boolean isRepeated) {

    TaskDefinition definition(Deliver wish) {
      return wish.due().definition(wish.message(), asOf, wish.key());
    }
  }

  @Override
  public void take(List<IncomingMessage> messages) {
    try {
      takeTogether(messages);
    } catch (RuntimeException e) {
      if (isEverybodys.test(e)) {
        throw e;
      }
      takeAlone(messages);
    }
  }

  /** Something is wrong with one of them: the others must not wait for it. */
  private void takeAlone(List<IncomingMessage> messages) {
    for (IncomingMessage message : messages) {
      try {
        takeTogether(List.of(message));
      } catch (RuntimeException e) {
        if (isEverybodys.test(e)) {
          throw e;
        }
        refusals.warn("a message cannot be taken in; it is put aside", e);
        message.refuse("it cannot be stored: " + e.getMessage());
      }
    }
  }

  private void takeTogether(List<IncomingMessage> messages) {
    Instant now = clock.instant();
    List<Order<Deliver>> toDeliver = new ArrayList<>();
    List<Order<MessageWish>> keyedOrders = new ArrayList<>();
    for (IncomingMessage message : messages) {
      if (message.answer().isPresent()) {
        continue;
      }
      MessageWish wish = MessageHeaders.read(message.message(), now);
      if (wish instanceof Unreadable unreadable) {
        message.refuse(unreadable.reason());
        metrics.messagesTakenIn("refused", 1);
      } else if (wish.key().isPresent()) {
        if (isStorable(message, wish, now)) {
          keyedOrders.add(new Order<>(message, wish));
        }
      } else if (wish instanceof Deliver deliver) {
        toDeliver.add(new Order<>(message, deliver));
      }
    }
    passThrough(toDeliver.stream().filter(o -> o.wish().due().isOver(now)).toList());
    store(
        toDeliver.stream()
            .filter(o -> o.message().answer().isEmpty())
            .filter(o -> isStorable(o.message(), o.wish(), now))
            .toList(),
        now);
    byKey(keyedOrders, now);
  }

  /** What nobody could read again is refused, rather than lost once it is due. */
  private boolean isStorable(IncomingMessage message, MessageWish wish, Instant now) {
    Optional<String> problem =
        wish instanceof Deliver deliver
            ? MessageHeaders.problemOfStoring(deliver, now)
            : Optional.empty();
    problem.ifPresent(
        reason -> {
          message.refuse(reason);
          metrics.messagesTakenIn("refused", 1);
        });
    return problem.isEmpty();
  }

  private void passThrough(List<Order<Deliver>> orders) {
    if (orders.isEmpty()) {
      return;
    }
    List<Action.Amqp> messages = orders.stream().map(order -> order.wish().message()).toList();
    List<Boolean> published = outlet.publish(messages);
    int passed = 0;
    for (int i = 0; i < published.size(); i++) {
      if (published.get(i)) {
        orders.get(i).take();
        passed++;
      }
    }
    metrics.messagesTakenIn("passed-through", passed);
  }

  private void store(List<Order<Deliver>> orders, Instant now) {
    if (orders.isEmpty()) {
      return;
    }
    List<Task> planned = new ArrayList<>();
    int repeated = 0;
    for (Known<Deliver> known : known(orders, now)) {
      repeated += known.isRepeated() ? 1 : 0;
      planned.add(
          lifecycle
              .plan(known.id(), known.definition(known.order().wish()), known.asOf())
              .orElseThrow(() -> new IllegalStateException("a message with no time to come")));
    }
    List<Boolean> unused = lifecycle.insertAll(planned);
    orders.forEach(Order::take);
    metrics.messagesTakenIn("stored", orders.size() - repeated);
    if (repeated > 0) {
      metrics.messagesTakenIn("repeated", repeated);
      log.info(
          "{} messages have come with ids that came before; each stays the task that it was",
          repeated);
    }
  }

  /** Writes down which task each of them is to be; ids have the order of the messages. */
  private <W extends MessageWish> List<Known<W>> known(List<Order<W>> orders, Instant now) {
    List<KeyedCreation> wanted = new ArrayList<>();
    TaskId id = TaskId.create(now, random);
    for (Order<W> order : orders) {
      // no key that comes by HTTP has a space in it
      String key =
          "amqp "
              + order.message().message().exchange()
              + " "
              + order.wish().messageId().orElse("");
      wanted.add(new KeyedCreation(key, "", id, now));
      id = id.successor();
    }
    Iterator<KeyedCreation> taken = store.takeKeys(withId(orders, wanted)).iterator();
    List<Known<W>> known = new ArrayList<>();
    for (int i = 0; i < orders.size(); i++) {
      KeyedCreation mine = wanted.get(i);
      boolean hasId = orders.get(i).wish().messageId().isPresent();
      KeyedCreation creation = hasId ? taken.next() : mine;
      known.add(
          new Known<>(orders.get(i), creation.task(), creation.takenAt(), !creation.equals(mine)));
    }
    return known;
  }

  private static <W extends MessageWish> List<KeyedCreation> withId(
      List<Order<W>> orders, List<KeyedCreation> creations) {
    List<KeyedCreation> withId = new ArrayList<>();
    for (int i = 0; i < orders.size(); i++) {
      if (orders.get(i).wish().messageId().isPresent()) {
        withId.add(creations.get(i));
      }
    }
    return withId;
  }

  /** Those that come before another one with the same key are dealt with before it. */
  private void byKey(List<Order<MessageWish>> orders, Instant now) {
    List<Known<MessageWish>> together = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    for (Known<MessageWish> known : known(orders, now)) {
      if (!keys.add(known.order().wish().key().orElseThrow())) {
        byDifferentKeys(together);
        together.clear();
        keys.clear();
        keys.add(known.order().wish().key().orElseThrow());
      }
      together.add(known);
    }
    byDifferentKeys(together);
  }

  private void byDifferentKeys(List<Known<MessageWish>> orders) {
    List<Wish> wishes = new ArrayList<>();
    for (Known<MessageWish> known : orders) {
      if (known.order().wish() instanceof Deliver deliver) {
        Message message = new Message(deliver.messageId(), known.isRepeated());
        wishes.add(
            new Wish(known.id(), known.definition(deliver), known.asOf(), Optional.of(message)));
      } else if (known.order().wish() instanceof Cancel cancel) {
        CancelAnswer unused =
            known.isRepeated()
                ? keyed.cancelAgain(cancel.name(), known.id())
                : keyed.cancel(cancel.name());
      }
    }
    List<PutAnswer> unused = keyed.putAll(wishes);
    orders.forEach(known -> known.order().take());
    metrics.messagesTakenIn("stored", wishes.size());
    metrics.messagesTakenIn("cancelling", orders.size() - wishes.size());
  }
}
