package dev.carillon.flow;

import dev.carillon.flow.KeyedTasks.Wish;
import dev.carillon.flow.MessageWish.Cancel;
import dev.carillon.flow.MessageWish.Deliver;
import dev.carillon.flow.MessageWish.Unreadable;
import dev.carillon.ops.SchedulerMetrics;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        log.warn("a message cannot be taken in; it is put aside", e);
        message.refuse("it cannot be stored: " + e.getMessage());
      }
    }
  }

  private void takeTogether(List<IncomingMessage> messages) {
    Instant now = clock.instant();
    List<Order<Deliver>> toDeliver = new ArrayList<>();
    Map<String, Order<?>> byKey = new LinkedHashMap<>();
    for (IncomingMessage message : messages) {
      if (message.answer().isPresent()) {
        continue;
      }
      MessageWish wish = MessageHeaders.read(message.message(), now);
      if (wish instanceof Unreadable unreadable) {
        message.refuse(unreadable.reason());
        metrics.messagesTakenIn("refused", 1);
      } else if (wish.key().isPresent()) {
        // the last one counts; what it replaces has not begun
        Order<?> replaced = byKey.put(wish.key().get(), new Order<>(message, wish));
        if (replaced != null) {
          replaced.take();
        }
      } else if (wish instanceof Deliver deliver) {
        toDeliver.add(new Order<>(message, deliver));
      }
    }
    deliver(toDeliver, now);
    byKey(byKey.values(), now);
  }

  private void deliver(List<Order<Deliver>> orders, Instant now) {
    List<Order<Deliver>> through = orders.stream().filter(o -> o.wish().due().isOver(now)).toList();
    passThrough(through);
    store(orders.stream().filter(order -> order.message().answer().isEmpty()).toList(), now);
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
    List<KeyedCreation> creations = creations(orders, now);
    List<Task> planned = new ArrayList<>();
    for (int i = 0; i < orders.size(); i++) {
      KeyedCreation creation = creations.get(i);
      planned.add(
          lifecycle
              .plan(creation.task(), definition(orders.get(i), creation), creation.takenAt())
              .orElseThrow(() -> new IllegalStateException("a message with no time to come")));
    }
    lifecycle.insertAll(planned);
    orders.forEach(Order::take);
    metrics.messagesTakenIn("stored", orders.size());
  }

  private static TaskDefinition definition(Order<Deliver> order, KeyedCreation creation) {
    Deliver wish = order.wish();
    return wish.due().definition(wish.message(), creation.takenAt(), wish.key());
  }

  /** What task each message is to be, and when it came in: as it was if it came in before. */
  private List<KeyedCreation> creations(List<Order<Deliver>> orders, Instant now) {
    List<KeyedCreation> creations = new ArrayList<>();
    List<KeyedCreation> known = new ArrayList<>();
    for (Order<Deliver> order : orders) {
      TaskId id = TaskId.create(now, random);
      Optional<String> messageId = order.wish().messageId();
      String exchange = order.wish().message().exchange();
      // no key that comes by HTTP has a space in it
      String key = "amqp " + exchange + " " + messageId.orElse("");
      KeyedCreation creation = new KeyedCreation(key, "", id, now);
      creations.add(creation);
      if (messageId.isPresent()) {
        known.add(creation);
      }
    }
    Map<TaskId, KeyedCreation> taken = new HashMap<>();
    List<KeyedCreation> answers = store.takeKeys(known);
    for (int i = 0; i < known.size(); i++) {
      taken.put(known.get(i).task(), answers.get(i));
    }
    return creations.stream()
        .map(creation -> taken.getOrDefault(creation.task(), creation))
        .toList();
  }

  private void byKey(Collection<Order<?>> orders, Instant now) {
    List<Order<Deliver>> toPut = new ArrayList<>();
    for (Order<?> order : orders) {
      if (order.wish() instanceof Deliver deliver) {
        toPut.add(new Order<>(order.message(), deliver));
      } else if (order.wish() instanceof Cancel cancel) {
        keyed.cancel(cancel.name());
        order.take();
        metrics.messagesTakenIn("cancelling", 1);
      }
    }
    List<KeyedCreation> creations = creations(toPut, now);
    List<Wish> wishes = new ArrayList<>();
    for (int i = 0; i < toPut.size(); i++) {
      KeyedCreation creation = creations.get(i);
      wishes.add(
          new Wish(
              creation.task(),
              definition(toPut.get(i), creation),
              creation.takenAt(),
              toPut.get(i).wish().messageId()));
    }
    keyed.putAll(wishes);
    toPut.forEach(Order::take);
    metrics.messagesTakenIn("stored", toPut.size());
  }
}
