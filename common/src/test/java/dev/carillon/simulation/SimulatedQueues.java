package dev.carillon.simulation;

import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import dev.carillon.simulation.Actors.Node;
import dev.carillon.task.Parking;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;

/** A broker that loses, doubles and delays messages, goes away, and forgets everything. */
final class SimulatedQueues {

  private static final Duration LEAD = Duration.ofMillis(50);

  /** How long after its message's time an unused queue goes away by itself. */
  static final Duration UNUSED = Duration.ofMinutes(10);

  private static final Duration HORIZON = Duration.ofSeconds(20);

  private static final class Message {
    final Notice notice;
    boolean redelivered;
    Node holder;
    boolean inPendingQueue;

    Message(Notice notice) {
      this.notice = notice;
    }
  }

  private final Actors actors;
  private final Random random;
  private final Node broker = new Node("broker");
  private final Map<String, Set<Message>> pending = new HashMap<>();
  private final Set<Message> messages = new HashSet<>();
  private final List<Node> workers = new ArrayList<>();
  private final BiConsumer<Node, Delivery> onDelivery;
  private Faults faults;
  private Instant awayUntil = Instant.MIN;

  SimulatedQueues(
      Actors actors, Random random, Faults faults, BiConsumer<Node, Delivery> onDelivery) {
    this.actors = actors;
    this.random = random;
    this.faults = faults;
    this.onDelivery = onDelivery;
  }

  void calmDown() {
    faults = Faults.NONE;
  }

  void workerStarted(Node worker) {
    workers.add(worker);
  }

  /** What a dead worker held is delivered again, once the broker has noticed. */
  void workerDied(Node worker) {
    workers.remove(worker);
    for (Message message : List.copyOf(messages)) {
      if (message.holder == worker) {
        message.holder = null;
        message.redelivered = true;
        later(Duration.ofMillis(random.nextInt(2_000)), () -> deliver(message));
      }
    }
  }

  /** Whether nothing is left that will be delivered. */
  boolean isQuiet() {
    return messages.isEmpty();
  }

  Set<String> names() {
    return Set.copyOf(pending.keySet());
  }

  private boolean isAway() {
    return actors.instant().isBefore(awayUntil);
  }

  private void accept(Notice notice) {
    if (random.nextDouble() < faults.brokerAway()) {
      awayUntil = actors.instant().plusMillis(random.nextInt(30_000));
    }
    if (random.nextDouble() < faults.brokerWiped()) {
      messages.clear();
      pending.clear();
    }
    Duration wait = Duration.between(actors.instant(), notice.runAt()).minus(LEAD);
    boolean waits = wait.compareTo(Duration.ZERO) > 0;
    if (waits) {
      pending.computeIfAbsent(notice.queue(), name -> new HashSet<>());
      Set<Message> declared = pending.get(notice.queue());
      later(wait.plus(UNUSED), () -> pending.remove(notice.queue(), declared));
    }
    int copies = random.nextDouble() < faults.noticeLost() ? 0 : 1;
    copies += random.nextDouble() < faults.noticeDoubled() ? 1 : 0;
    for (int i = 0; i < copies; i++) {
      Message message = new Message(notice);
      messages.add(message);
      Duration late =
          random.nextDouble() < faults.noticeLate()
              ? Duration.ofMillis(random.nextInt((int) Faults.LATEST.toMillis()))
              : Duration.ofMillis(random.nextInt(5));
      if (waits) {
        message.inPendingQueue = true;
        pending.get(notice.queue()).add(message);
        later(wait, () -> message.inPendingQueue = false);
      }
      later(waits ? wait.plus(late) : late, () -> deliver(message));
    }
  }

  private void later(Duration delay, Runnable action) {
    actors.spawn(broker, delay, action::run);
  }

  private void deliver(Message message) {
    if (!messages.contains(message)) {
      return; // wiped, or removed with its queue
    }
    if (isAway() || workers.isEmpty()) {
      later(Duration.ofMillis(500), () -> deliver(message));
      return;
    }
    Node worker = workers.get(random.nextInt(workers.size()));
    message.holder = worker;
    onDelivery.accept(worker, new SimulatedDelivery(message));
  }

  private final class SimulatedDelivery implements Delivery {
    private final Message message;
    private final Node holder;
    private final boolean redelivered;

    SimulatedDelivery(Message message) {
      this.message = message;
      this.holder = message.holder;
      this.redelivered = message.redelivered;
    }

    @Override
    public Notice notice() {
      return message.notice;
    }

    @Override
    public boolean isRedelivered() {
      return redelivered;
    }

    @Override
    public void ack() {
      if (message.holder == holder) {
        messages.remove(message);
      }
    }

    @Override
    public void requeue() {
      if (message.holder == holder) {
        message.holder = null;
        message.redelivered = true;
        later(Duration.ofMillis(1), () -> deliver(message));
      }
    }
  }

  /** The port as a node sees it; every call is a step at which the node may die. */
  PendingQueues seenFrom(Steps steps) {
    return new PendingQueues() {
      @Override
      public List<ParkAnswer> park(Collection<Notice> notices) {
        List<ParkAnswer> answers = new ArrayList<>();
        for (Notice notice : notices) {
          steps.step("before park");
          boolean away = isAway();
          if (!away) {
            accept(notice);
          }
          answers.add(away ? new ParkAnswer.NotParked("broker away") : new ParkAnswer.Parked());
          steps.step("after park");
        }
        return answers;
      }

      @Override
      public void remove(Collection<String> queues) {
        steps.step("before remove");
        for (String queue : queues) {
          Set<Message> gone = isAway() ? null : pending.remove(queue);
          if (gone != null) {
            gone.stream().filter(message -> message.inPendingQueue).forEach(messages::remove);
          }
        }
      }

      @Override
      public boolean isAvailable() {
        return !isAway();
      }

      @Override
      public Place placeFor(Arming arming, Instant now) {
        String name =
            "%s.%d.%d.%d.%d"
                .formatted(
                    arming.task(),
                    arming.index(),
                    arming.attempt(),
                    arming.runAt().toEpochMilli(),
                    arming.token());
        return Parking.within(HORIZON, arming.runAt(), now, new Place.InQueue(name, true));
      }

      @Override
      public void close() {}
    };
  }

  /** Where a node may die or stand still. */
  interface Steps {
    void step(String where);
  }
}
