package dev.carillon.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.inprocess.InProcessParkedMessages;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.PendingQueues;
import dev.carillon.store.ClaimAnswer.Won;
import dev.carillon.store.MemoryTaskKeys;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.store.UnreliableStore;
import dev.carillon.task.Chain;
import dev.carillon.task.Parking;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Everything that the flow works with, by hand: a test sets it, and reads off what was done. */
final class FlowWorld implements InstantSource {

  static final Duration SECOND = Duration.ofSeconds(1);
  static final Duration GRACE = Duration.ofSeconds(5);
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration HORIZON = Duration.ofHours(24);

  /** What was done, in its order. */
  final List<String> done = new ArrayList<>();

  /** What others see and do. */
  final MemoryTaskStore memory = new MemoryTaskStore(this);

  /** What the flow sees and does. */
  final UnreliableStore store = new UnreliableStore(memory);

  final MemoryTaskKeys keys = new MemoryTaskKeys();

  final Queues queues = new Queues();
  final InProcessParkedMessages parked = new InProcessParkedMessages(this);
  final List<String> measured = new ArrayList<>();
  final Chain chain;
  private Instant now = Tasks.NOW;
  private long ids;

  FlowWorld() {
    this(new Chain.Settings(GRACE, 10, 2, 3));
  }

  FlowWorld(Chain.Settings settings) {
    chain = new Chain(queues, settings);
  }

  Ports ports() {
    return new Ports(store, keys, queues, parked, chain, this, new Measured());
  }

  @Override
  public Instant instant() {
    return now;
  }

  void setClock(Instant instant) {
    now = instant;
  }

  static Instant at(long seconds) {
    return Tasks.NOW.plusSeconds(seconds);
  }

  /** A stored task, not parked. */
  Task store(TaskDefinition definition) {
    Task task = chain.create(Tasks.id(++ids), definition, now).orElseThrow();
    memory.insert(task);
    return task;
  }

  Task stored(Task task) {
    return memory.find(task.id()).orElseThrow();
  }

  SubTask live(Task task) {
    return stored(task).live().orElseThrow();
  }

  static Notice notice(Task task) {
    return Notice.of(task).orElseThrow();
  }

  /** Somebody else claims the task now. */
  Task claim(Task task, String worker) {
    ClaimRequest request = new ClaimRequest(notice(stored(task)), worker, worker + "/claim");
    assertThat(memory.claim(List.of(request), now, LEASE).get(0)).isInstanceOf(Won.class);
    return stored(task);
  }

  /** Somebody else changes the task now. */
  void exchange(Task before, Task after) {
    assertThat(memory.exchange(List.of(new Exchange(before, after)))).containsExactly(true);
  }

  /** A notice in a worker's hands that remembers how it was answered. */
  final class Delivered implements Delivery {
    private final Notice notice;
    private final boolean redelivered;
    final List<String> answers = new ArrayList<>();

    Delivered(Notice notice, boolean redelivered) {
      this.notice = notice;
      this.redelivered = redelivered;
    }

    @Override
    public Notice notice() {
      return notice;
    }

    @Override
    public boolean isRedelivered() {
      return redelivered;
    }

    @Override
    public void ack() {
      answer("ack");
    }

    @Override
    public void requeue() {
      answer("requeue");
    }

    private void answer(String how) {
      if (answers.isEmpty()) { // later ones have no effect
        done.add(how);
        answers.add(how);
      }
    }
  }

  Delivered delivered(Task task) {
    return new Delivered(notice(task), false);
  }

  Delivered redelivered(Task task) {
    return new Delivered(notice(task), true);
  }

  /** Takes every notice, or none, and keeps what it was asked for. */
  final class Queues implements PendingQueues {
    final List<Notice> parked = new ArrayList<>();
    final List<String> removed = new ArrayList<>();
    Predicate<Notice> refuses = notice -> false;
    Predicate<TaskId> hasNoNameFor = task -> false;
    boolean available = true;
    private final Parking parking = Tasks.parking(HORIZON);

    @Override
    public List<ParkAnswer> park(Collection<Notice> notices) {
      List<ParkAnswer> answers = new ArrayList<>();
      for (Notice notice : notices) {
        done.add("park");
        parked.add(notice);
        answers.add(
            refuses.test(notice)
                ? new ParkAnswer.NotParked("the broker is away")
                : new ParkAnswer.Parked());
      }
      return answers;
    }

    @Override
    public void remove(Collection<String> queues) {
      done.add("remove");
      removed.addAll(queues);
    }

    @Override
    public boolean isAvailable() {
      return available;
    }

    @Override
    public Place placeFor(Arming arming, Instant present) {
      if (hasNoNameFor.test(arming.task())) {
        throw new IllegalStateException("no name for a queue of " + arming.task());
      }
      Place place = parking.placeFor(arming, present);
      return place instanceof Place.InQueue queue
          ? new Place.InQueue(arming.task() + "." + queue.name(), true)
          : place;
    }

    @Override
    public void close() {}
  }

  private final class Measured implements SchedulerMetrics {
    @Override
    public void taskCreated() {
      measured.add("created");
    }

    @Override
    public void taskCanceled() {
      measured.add("canceled");
    }

    @Override
    public void attemptStarted(Duration lateness) {
      measured.add("started " + lateness);
    }

    @Override
    public void attemptEnded(String outcome, Duration took) {
      measured.add(outcome + " " + took);
    }

    @Override
    public void noticeDropped(String why) {
      measured.add("dropped " + why);
    }

    @Override
    public void claimLost() {
      measured.add("claim lost");
    }

    @Override
    public void notParked() {
      measured.add("not parked");
    }

    @Override
    public void swept(String why) {
      measured.add("swept " + why);
    }
  }

  static Optional<String> queueOf(Task task) {
    return task.live().flatMap(SubTask::parked).map(SubTask.Parked::queue);
  }
}
